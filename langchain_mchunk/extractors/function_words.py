"""Words of function, which say little of what a text is about: short lists a language.

Chosen by hand from the closed classes of words (articles, pronouns, prepositions, conjunctions,
auxiliary verbs) and the adverbs that point or grade, as the grammar named lists them. The lists are
used together: what is a common noun or verb in another of these languages is left out.
"""

from __future__ import annotations

from typing import Final

_TABLE: Final = {
    # Quirk, Greenbaum, Leech, Svartvik, A Comprehensive Grammar of the English Language (1985).
    "en": """
    a an the and or but nor for so yet if as at by in of on to up off out per via he she it we you
    they i me him her us them my your his its our their yours hers ours theirs who whom whose
    which what that this these those be am is are was were been being do does did done doing have
    has had having can could may might must shall should will would ought not no yes all any both
    each either neither every few many more most much less least several some such other others
    another own same one ones none nobody nothing anybody anyone anything everybody everyone
    everything somebody someone something myself yourself himself herself itself ourselves
    themselves yourselves about above across after against along among around because before
    behind below beneath beside besides between beyond despite down during except from inside into
    like near onto over since than though although through throughout till toward towards under
    until unless upon versus when whenever where whereas wherever whether while whatever whichever
    with within without again almost already also always anyway away back else enough even ever
    far hence here how however indeed instead just maybe merely never often once only otherwise
    perhaps quite rather really sometimes somewhat soon still then there thereby therefore thus
    together too very well why don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn
    haven
    """,
    # Duden, Die Grammatik.
    "de": """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keiner und oder
    aber denn sondern dass wenn weil obwohl während damit nachdem bevor ich du er sie es wir ihr
    mich dich sich euch ihm ihn ihnen mein meine dein deine sein seine seinen seiner ihre ihren
    ihrer unser unsere euer dieser diese dieses diesen diesem jener jene jenes jeder jede jedes
    jeden welche welcher welches alle allen aller alles andere anderen anderer beide viele vielen
    wenige einige mehr nichts etwas jemand niemand bin bist sind seid waren wäre wurde wurden wird
    werden worden hat haben hatte hatten habe hätte kann können könnte muss müssen musste soll
    sollen sollte wollen wollte darf dürfen nach über unter zwischen durch gegen ohne seit beim
    vom zum zur hinter neben nicht auch noch schon immer sehr doch dann dort hier jetzt wieder
    dabei dazu daher darum daran darauf davon dafür sowie sowohl
    """,
    # Grevisse, Goosse, Le bon usage.
    "fr": """
    les des une aux dans avec sans sous vers chez entre depuis avant après contre selon mais donc
    ainsi lorsque puisque quand comme parce elle elles nous vous ils leur leurs mon ton son mes
    tes ses notre votre cette cet ces celui celle ceux celles cela ceci qui que quoi dont quel
    quelle quels quelles lequel laquelle chaque quelque quelques plusieurs tout tous toute toutes
    autre autres même mêmes être suis sommes êtes sont était étaient sera seront avoir avons avez
    ont avait avaient aura fait pas très aussi bien encore toujours jamais alors déjà ici peut
    """,
    # Real Academia Española, Nueva gramática de la lengua española.
    "es": """
    los las unos unas del para con sin sobre desde hasta hacia según durante mediante pero sino
    aunque porque cuando mientras donde como ella ellos ellas nosotros usted ustedes nuestro
    nuestra este esta estos estas ese esa esos esas aquel aquella esto eso cual cuales quien
    quienes cada todo toda todos todas otro otra otros otras mismo misma alguno alguna algunos
    algunas ningún ninguno ninguna mucho mucha muchos muchas también está están estaba estar sido
    eran será ser había haber tiene tienen puede pueden debe deben más muy siempre nunca entonces
    además así aquí
    """,
    # Serianni, Grammatica italiana.
    "it": """
    gli uno una dello della dei degli delle allo alla agli alle dal dalla dallo dai dalle nel
    nello nella nei negli nelle sul sulla sulle con senza verso presso durante secondo però quindi
    perché quando mentre noi voi loro mio suo sua suoi nostro nostra vostro questo questa questi
    queste quello quella quelli quelle quale quali ogni tutto tutta tutti tutte altro altra altri
    altre stesso stessa essere sono siamo siete erano stato stata avere hanno aveva può possono
    deve devono non anche ancora sempre mai più molto molti ecco così già qui
    """,
    # Русская грамматика (1980).
    "ru": """
    без для над под при про через между перед после около вместо чтобы если когда хотя потому
    поэтому однако также тоже либо как что это этот эта эти этого этой этом этих тот та те того
    той том тех она они оно его её ему ими них нее нас нам вас вам меня мне себя свой своя свои
    своих который которая которое которые которых каждый весь вся всё все всех быть был была было
    были будет будут есть может могут можно нужно надо очень уже ещё еще только даже лишь там тут
    здесь где куда так такой такая такие более менее или ведь
    """,
}

FUNCTION_WORDS: Final = frozenset(" ".join(_TABLE.values()).split())
