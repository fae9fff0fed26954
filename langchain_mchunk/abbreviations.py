"""Abbreviations whose stop does not end a sentence: two short lists a language.

`never`: something always follows (`Dr.`, `z. B.`, `см.`). `may`: the sentence ends only if a
capital follows (`Co.`, `г.`); those of them in `lists` close an enumeration (`usw.`, `и т. д.`), so
that before a capital it does end, which `sentencex` sees in English only.

An entry is written without spaces and without its last stop. A small entry is met in any case, one
with capitals only as it stands: `No. 5` is a number, `no.` is a word.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple


class Abbreviations(NamedTuple):
    """The abbreviations of one language."""

    never: frozenset[str]
    may: frozenset[str]
    lists: frozenset[str]
    months: frozenset[str]  # written with a capital, and so behind ordinals
    tokens: frozenset[str]  # their last parts as they may stand in a text, with the stop


def _language(never: str, may: str = "", lists: str = "", months: str = "") -> Abbreviations:
    return _abbreviations(
        *(frozenset(words.split()) for words in (never, f"{may} {lists}", lists, months))
    )


def _abbreviations(
    never: frozenset[str], may: frozenset[str], lists: frozenset[str], months: frozenset[str]
) -> Abbreviations:
    parts = {word.rpartition(".")[2] for word in never | may}
    forms = {form for part in parts for form in (part, part.title(), part.upper())}
    return Abbreviations(never, may, lists, months, frozenset(f"{form}." for form in forms))


# Chosen by hand; the source named is where a language's are listed. CLDR: the sentence-break
# suppressions of the Unicode Common Locale Data Repository, common/segments/<language>.xml.
_TABLE: Final = {
    # CLDR en; The Chicago Manual of Style, "Abbreviations".
    "en": _language(
        never="""Mr Mrs Ms Mx Messrs Dr Prof Rev Fr Hon Gen Col Capt Cpt Lt Sgt Cmdr Maj Adm Gov Sen
            Rep Supt Msgr St Mt Ft Fig Figs fig figs Eq Eqs eq eqs Sec Sect Ch Vol Vols vol vols Nos
            pp p e.g i.e viz vs cf approx ca incl esp""",
        may="""No Co Inc Ltd Corp Bros Jr Sr a.m p.m u.s u.s.a u.k u.n e.u d.c b.c a.d b.c.e c.e
            ph.d m.d b.a m.a b.sc m.sc al Jan Feb Mar Apr Aug Sep Sept Oct Nov Dec Ave Blvd Rd Dept
            Ed Eds ed eds ibid etc""",
    ),
    # CLDR de; Duden, "Abkürzungen" and "Ordinalzahlen".
    "de": _language(
        never="""dr prof Hr Hrn Frl Fr St z.b d.h d.i i.d.r i.a i.w o.g s.o s.u u.u u.a v.a z.t z.zt
            bzw ca vgl ggf evtl inkl exkl einschl zzgl abzgl sog geb gest nr abb Abs Art Kap Bd Bde
            Hrsg hrsg Aufl Tab Tel Mio Mrd max mind Dipl Ing dipl.-ing Mag h.c ehem lt rd usf.z""",
        may="Co Chr n.chr v.chr Jh Jhd e.v a.d Str",
        lists="usw etc dgl u.dgl u.ä o.ä u.a.m u.v.m usf",
        months="""Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober
            November Dezember Jan Feb Apr Aug Sep Sept Okt Nov Dez""",
    ),
    # CLDR fr; Lexique des règles typographiques en usage à l'Imprimerie nationale, "Abréviations".
    "fr": _language(
        never="""M MM Mme Mmes Mlle Mlles Mgr Dr Pr St Ste cf p.ex c.-à-d av apr env éd vol chap fig
            art n p pp tél ex janv févr""",
        may="j.-c s.a Cie Sté sept oct nov déc",
        lists="etc",
    ),
    # CLDR es; Real Academia Española, Ortografía (2010), "Lista de abreviaturas".
    "es": _language(
        never="""sr sra srta sres sras dr dra dña prof ud uds vd vds pág págs núm vol cap art fig
            p.ej ej av avda tel lic ing gral cnel aprox vs cf""",
        may="ee.uu s.a s.l a.c d.c cía",
        lists="etc",
    ),
    # CLDR it; Accademia della Crusca, "Abbreviazioni".
    "it": _language(
        never="""sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa avv ing arch geom rag On mons
            pag pagg p cap art fig vol cfr es p.es tel n nn cav comm""",
        may="a.c d.c s.p.a s.r.l",
        lists="ecc etc",
    ),
    # CLDR ru; GOST R 7.0.12-2011, "Сокращение слов и словосочетаний на русском языке".
    "ru": _language(
        never="""т.е т.к т.н т.о т см ср напр ул просп пер пл им проф акад доц рис табл стр с п пп
            гл ст тов гр тел обл кв ок св изд ред вып корп оз""",
        may="г гг в вв руб коп тыс млн млрд н.э мин сек ч чел экз долл",
        lists="т.д т.п др пр",
    ),
    # Ukrainian orthography of 2019, "Графічні скорочення"; DSTU 3582:2013.
    "uk": _language(
        never="""т.зв тобто див напр вул просп пров пл ім проф акад доц рис табл стор с п обл м смт
            св тов гр кн ред вид т""",
        may="р рр ст грн коп тис млн млрд н.е хв год",
        lists="т.д т.п т.ін ін",
    ),
    # Słownik języka polskiego PWN, "Zasady pisowni: skróty".
    "pl": _language(
        never="""np tzn tzw tj m.in prof dr hab mgr inż ul al pl os św im ks bp abp płk kpt gen por
            zob rys tab str s ok red oprac tłum wyd poz pkt art ust godz tel woj pow gm""",
        may="r w tys n.e p.n.e in",
        lists="itd itp etc",
    ),
    # Τριανταφυλλίδης, Νεοελληνική γραμματική, "Συντομογραφίες".
    "el": _language(
        never="""π.χ κ κα κκ δρ καθ σελ αρ αριθ βλ εικ πίν τηλ λεωφ αγ δηλ παρ κεφ τόμ εκδ μτφρ
            πρβλ""",
        may="π.Χ μ.Χ π.μ μ.μ εκατ δισ",
        lists="κλπ κ.λπ κ.λ.π κτλ κ.τ.λ κ.ά",
    ),
    # Wiktionary, "Category:Arabic abbreviations".
    "ar": _language(never="د أ.د أ ص ج"),
    # Wiktionary, "Category:Hindi abbreviations".
    "hi": _language(never="डॉ श्री प्रो पं सं क्र कु कि.मी"),
    # Wiktionary, "Category:Hebrew abbreviations".
    "he": _language(never="פרופ עמ גב מס"),
}

# In another language these are words that end sentences.
_WORDS: Final = frozenset(
    "p n s m t v al art av ca cap ed es ex fig im in lt max on os pl st ul".split()
)

# Words that begin an English sentence and no surname: before them, `Plan B.` has ended.
OPENING_WORDS: Final = frozenset(
    """A After All Although An And As At Because Before But By For From He Her His However If In Is
    It Its My No Not On Or Our She So Some That The Their Then There These They This Those To We
    What When Where Which While Who Why With Yes You Your""".split()
)


@cache
def abbreviations(language: str = "") -> Abbreviations:
    """Return the abbreviations of a language, of all of them together where it has no list.

    Args:
        language: An ISO 639 code, with or without a region: `"de"`, `"de-AT"`.
    """
    known = _TABLE.get(language.replace("_", "-").partition("-")[0].lower())
    if known is not None:
        return known
    never, may, lists, months = (
        frozenset[str]().union(*column) - _WORDS
        for column in zip(*(table[:4] for table in _TABLE.values()), strict=True)
    )
    return _abbreviations(never, may - never, lists, months)
