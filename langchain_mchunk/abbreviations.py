"""Abbreviations whose stop does not end a sentence: short lists a language.

`never`: something always follows (`Dr.`, `z. B.`, `напр.`). `may`: the sentence ends only if a
capital follows (`Co.`, `руб.`); everyday words that are shortened before a number stand here, too
(`fig.`, `art.`). `names`: a name may follow (`г. Москва`, `им. Пушкина`), so that before a capital
the sentence ends only behind a number (`1799 г.`) or before a word that opens sentences.

An entry is written without spaces and without its last stop. A small entry is met in any case, one
letter and one with capitals only as it stands: `No. 5` is a number, `no.` is a word. As it stands
comes first: in German `Max.` is a name, `max.` a limit.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple


class Abbreviations(NamedTuple):
    """The abbreviations of one language."""

    never: frozenset[str]
    may: frozenset[str]
    names: frozenset[str]
    months: frozenset[str]  # written with a capital, and so behind ordinals
    articles: frozenset[str]  # before an ordinal, where nouns are written with a capital
    added: frozenset[str]  # may end a sentence, which sentencex does not see
    tokens: frozenset[str]  # their last parts as they may stand in a text, with the stop


def _language(
    never: str, may: str = "", names: str = "", months: str = "", articles: str = ""
) -> Abbreviations:
    lists = (never, may, names, months, articles)
    return _abbreviations(*(frozenset(words.split()) for words in lists))


def _abbreviations(
    never: frozenset[str],
    may: frozenset[str],
    names: frozenset[str],
    months: frozenset[str],
    articles: frozenset[str],
) -> Abbreviations:
    parts = {word.rpartition(".")[2] for word in never | may | names}
    forms = {form for part in parts for form in (part, part.title(), part.upper())}
    tokens = frozenset(f"{form}." for form in forms)
    return Abbreviations(never, may, names, months, articles, may | names, tokens)


# Chosen by hand; the source named is where a language's are listed. CLDR: the sentence-break
# suppressions of the Unicode Common Locale Data Repository, common/segments/<language>.xml.
_TABLE: Final = {
    # CLDR en; The Chicago Manual of Style, "Abbreviations". Sentencex sees the ends behind them.
    "en": _language(
        never="""Mr Mrs Ms Mx Messrs Dr Prof Rev Fr Hon Gen Col Capt Cpt Lt Sgt Cmdr Maj Adm Gov Sen
            Rep Supt Msgr St Mt Ft Fig Figs figs Eq Eqs eqs Sec Sect Ch Vol Vols vols Nos pp p e.g
            i.e viz vs cf approx incl esp""",
        may="""No Co Inc Ltd Corp Bros Jr Sr a.m p.m u.s u.s.a u.k u.n e.u d.c b.c a.d b.c.e c.e
            ph.d m.d b.a m.a b.sc m.sc al Jan Feb Mar Apr Aug Sep Sept Oct Nov Dec Ave Blvd Rd Dept
            Ed Eds ed eds ibid etc fig eq vol ca""",
    )._replace(added=frozenset()),
    # CLDR de; Duden, "Abkürzungen" and "Ordinalzahlen".
    "de": _language(
        never="""dr prof Hr Hrn Frl Fr St z.b d.h i.d i.d.r i.a i.w o.g s.o s.u u.u u.a v.a z.t z.zt
            bzw ca vgl ggf evtl inkl exkl einschl zzgl abzgl sog geb gest nr abb Hrsg hrsg Aufl Mio
            Mrd max min mind Dipl Ing dipl.-ing Mag h.c ehem lt rd""",
        may="""Co Chr n.chr v.chr Jh Jhd e.v a.d Str Max Min art Abs Kap Bd Bde Tab Tel usw etc dgl
            u.dgl u.ä o.ä u.a.m u.v.m usf""",
        months="""Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober
            November Dezember Jan Feb Apr Aug Sep Sept Okt Nov Dez""",
        articles="""der die das dem den des ein eine einem einen einer eines im am zum zur vom beim
            ab bis seit und oder jede jedem jeden jeder jedes diese diesem diesen dieser dieses
            mein meine meinem meinen meiner meines sein seine seinem seinen seiner seines ihr ihre
            ihrem ihren ihrer ihres unser unsere unserem unseren unserer unseres""",
    ),
    # CLDR fr; Lexique des règles typographiques en usage à l'Imprimerie nationale, "Abréviations".
    "fr": _language(
        never="M MM Mme Mmes Mlle Mlles Mgr Dr Pr St Ste cf p.ex c.-à-d av apr env",
        may="""j.-c s.a Cie Sté éd vol chap fig art n p pp tél ex janv févr sept oct nov déc
            etc""",
    ),
    # CLDR es; Real Academia Española, Ortografía (2010), "Lista de abreviaturas".
    "es": _language(
        never="""sr sra srta sres sras dr dra dña prof p.ej ej av avda lic ing gral cnel vs cf""",
        may="""ee.uu s.a s.l a.c d.c cía ud uds vd vds pág págs núm vol cap art fig tel aprox mar
            etc""",
    ),
    # CLDR it; Accademia della Crusca, "Abbreviazioni".
    "it": _language(
        never="""sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa avv ing arch geom rag On mons
            cfr es p.es cav comm""",
        may="a.c d.c s.p.a s.r.l pag pagg p cap art fig vol tel n nn va ecc etc",
    ),
    # CLDR ru; GOST R 7.0.12-2011, "Сокращение слов и словосочетаний на русском языке".
    "ru": _language(
        never="""т.е т.к т.н т.о ср напр ул просп пер пл проф акад доц тов св изд ред оз""",
        may="""гг в вв руб коп тыс млн млрд н.э мин сек чел экз долл рис табл стр п пп гл тел кв
            вып корп т.д т.п др пр""",
        names="г т с м ч см ст гр обл им",
    ),
    # Ukrainian orthography of 2019, "Графічні скорочення"; DSTU 3582:2013.
    "uk": _language(
        never="т.зв див напр вул просп пров пл проф акад доц смт св тов ред",
        may="рр грн коп тис млн млрд н.е хв год рис табл стор вид т.д т.п т.ін ін",
        names="р с м п т см ст гр обл кн ім",
    ),
    # Słownik języka polskiego PWN, "Zasady pisowni: skróty".
    "pl": _language(
        never="""np tzn tzw tj m.in prof dr hab mgr inż ul al pl os św ks bp abp płk kpt zob red
            tys""",
        may="r w n.e p.n.e in rys tab str s ok poz pkt art ust godz tel itd itp etc",
        names="im gen por wyd oprac tłum woj pow gm",
    ),
    # Τριανταφυλλίδης, Νεοελληνική γραμματική, "Συντομογραφίες".
    "el": _language(
        never="π.χ κ κα κκ δρ καθ βλ λεωφ αγ δηλ παρ εκδ μτφρ πρβλ",
        may="""π.Χ μ.Χ π.μ μ.μ εκατ δισ σελ αρ αριθ εικ πίν τηλ κεφ τόμ κλπ κ.λπ κ.λ.π κτλ κ.τ.λ
            κ.ά""",
    ),
    # Wiktionary, "Category:Arabic abbreviations".
    "ar": _language(never="د أ.د أ ص ج"),
    # Wiktionary, "Category:Hindi abbreviations".
    "hi": _language(never="डॉ श्री प्रो पं सं क्र कु कि.मी"),
    # Wiktionary, "Category:Hebrew abbreviations".
    "he": _language(never="פרופ עמ גב מס"),
}

# Of the Latin entries without an inner stop, those that are a word of no language: they count
# before a capital in a text of any. Of the others, these are words elsewhere.
_NO_WORDS: Final = frozenset(
    """Mr Mrs Ms Mx Messrs Dr Prof Rev Capt Cpt Lt Sgt Cmdr Gov Supt Msgr St Mt Fig Figs Vol Hr Hrn
    Frl Mme Mmes Mlle Mlles Mgr dr prof vs cf viz approx bzw vgl ggf evtl zzgl abzgl inkl exkl sra
    srta sres avda dott avv cfr np tzn tzw mgr inż""".split()
)
_WORDS: Final = frozenset("им ред див".split())

# Words that begin a sentence and no surname: before them, `Plan B.` has ended.
OPENING_WORDS: Final = frozenset(
    """A After All Although An And As At Because Before But By For From He Her His However If In Is
    It Its My No Not On Or Our She So Some That The Their Then There These They This Those To We
    What When Where Which While Who Why With Yes You Your
    Aber Als Auch Da Danach Dann Das Dem Den Der Die Doch Er Es Ich Ihr Im Man Nach Nun Sie So Und
    Wenn Wer Wie Wir
    В Все Всё Вы Его Если Её Затем Их Как Когда Мы На Но Однако Он Она Они Оно После Потом Так Там
    Теперь Тогда Ты Что Это Я
    Або Але Ви Він Вона Вони Воно Його Її Їх Коли Ми Потім Після Тепер Тоді Ти Це Що Як
    Ale Gdy Ja Jak Jednak Jego Jej Kiedy Ona One Oni Po Potem Tam Teraz Ty Wy""".split()
)


@cache
def abbreviations(language: str = "") -> Abbreviations:
    """Return the abbreviations of a language, of all of them together where it has no list.

    Args:
        language: An ISO 639 code, with or without a region: `"de"`, `"de-AT"`.
    """
    known = _TABLE.get(language.replace("_", "-").partition("-")[0].lower())
    return known or _together()


def _together() -> Abbreviations:
    """Join all lists: what is a word in some language only counts before no capital."""
    never, may, names, months, articles, added = (
        frozenset[str]().union(*column)
        for column in zip(*(table[:6] for table in _TABLE.values()), strict=True)
    )
    everything = never | may | names
    strict = frozenset(word for word in everything - may if _is_no_word(word))
    initials = frozenset(word for word in everything if len(word) == 1 and word.isupper())
    joined = _abbreviations(
        (never - names) & strict, everything - strict - initials, names & strict, months, articles
    )
    return joined._replace(added=added)


def _is_no_word(word: str) -> bool:
    """Tell whether an entry ends no sentence in any language."""
    latin = word[0] < "\u0370"
    return "." in word or word in _NO_WORDS or not (latin or word in _WORDS)
