import german from '#messages/de.json' with { type: 'json' };
import { messageRenderer } from '#server/core/messages/render-message';
import type { StrategyName } from '#server/core/conversation/compactions';
import { sectionTypeName } from '#server/core/site/field-names';
import type { Titled } from '#components/chat/parts/tool-words.ts';
import type { Translation } from '#components/languages/translation.ts';

/*
 * Glossary. Said to the reader: Sie; buttons are infinitives; quotation marks „…“; what is going on ends in „ …“.
 * site Website · page Seite · post Beitrag · section Abschnitt · picture Bild · draft Entwurf · publish veröffentlichen
 * unpublish offline nehmen · schedule planen · library Bibliothek · media Mediathek · trash Papierkorb · menu Menü
 * conversation Unterhaltung · session Sitzung · message Nachricht · turn Auftrag · step Schritt · request Anfrage
 * history (of a conversation) Verlauf · checkpoint Station · history (of a page) Versionen · undo rückgängig machen · redo wiederholen
 * memory Gedächtnis · free up memory Platz schaffen · window Kontextfenster · compact verdichten · prune bereinigen
 * summary Zusammenfassung · ledger Protokoll · audit log Audit-Log · tool Tool · provider Anbieter · key Schlüssel
 * standing instructions dauerhafte Anweisungen · approval Zustimmung · administrator Administrator
 */

const number = new Intl.NumberFormat('de-DE');

/** A number with its noun: `1 Seite`, `2 Seiten`. */
const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

const pages = (count: number) => plural(count, 'Seite', 'Seiten');
const pictures = (count: number) => plural(count, 'Bild', 'Bilder');
const messages = (count: number) => plural(count, 'Nachricht', 'Nachrichten');
const changes = (count: number) => plural(count, 'Änderung', 'Änderungen');
const characters = (count: number) => plural(count, 'Zeichen', 'Zeichen');
const tokens = (count: number) => plural(count, 'Token', 'Token');
const tools = (count: number) => plural(count, 'Tool', 'Tools');
const steps = (count: number) => plural(count, 'Schritt', 'Schritte');
const fromTo = (before: number, after: number) => `${number.format(before)} → ${tokens(after)}`;
const quoted = (texts: readonly string[]) => texts.map((text) => `„${text}“`).join(', ');

const strategyWords: Translation['strategyWords'] = {
  'reactive-overflow': {
    name: 'Zusammenfassung bei Überlauf',
    does: 'Ein Modell fasst alles außer den 2 neuesten Aufträgen zusammen.',
    effect:
      'Wartet, bis die nächste Anfrage nicht mehr passen würde. Dann fasst ein Modell alles außer den neuesten Aufträgen zusammen. Verdichtet am seltensten.',
  },
  'proactive-threshold': {
    name: 'Frühe Zusammenfassung',
    does: 'Ein Modell fasst alles außer den neuesten 30 % der Token zusammen, ganz gleich, zu welchem Auftrag sie gehören.',
    effect:
      'Handelt früh, ab ihrem Schwellenwert. Ein Modell fasst alles außer dem neuesten Teil der Unterhaltung zusammen. Günstigere Anfragen, mehr Zusammenfassungen.',
  },
  'middle-removal': {
    name: 'Mitte entfernen',
    does: 'Behält den ersten Auftrag und die neuesten Nachrichten. Was dazwischen liegt, wird zu einer Notiz; ohne Modell.',
    effect:
      'Behält den ersten Auftrag und die neuesten Nachrichten; eine Notiz ersetzt, was dazwischen liegt. Ohne Modell.',
  },
  ledger: {
    name: 'Protokoll',
    does: 'Das Protokoll aller Aktionen, das der Code führt, ersetzt ältere Aufträge; ohne Modell.',
    effect:
      'Ersetzt ältere Aufträge durch das Protokoll aller Aktionen, das der Code führt. Ohne Modell, und nichts wird umformuliert.',
  },
  'pruning-agent': {
    name: 'Auswahl durch ein Modell',
    does: 'Ein Modell wählt aus, welche älteren Nachrichten wegfallen können, und fasst sie zusammen; die neuesten 3 bis 5 bleiben immer.',
    effect:
      'Ein Modell wählt aus, welche älteren Nachrichten wegfallen können, und fasst sie zusammen. Am sorgfältigsten und am langsamsten.',
  },
};

const contextKinds = {
  instructions: 'Anweisungen',
  tools: 'Tools',
  summary: 'Zusammenfassung',
  user: 'Nachrichten des Benutzers',
  assistant: 'Antworten',
  reasoning: 'Überlegungen',
  toolCalls: 'Tool-Aufrufe',
  toolResults: 'Tool-Ergebnisse',
  media: 'Bilder und Dateien',
  situation: 'Hier und jetzt',
};

const compactionTriggers = {
  overflow: 'die nächste Anfrage hätte nicht gepasst',
  threshold: 'der Schwellenwert der Strategie war erreicht',
  'tool-response': 'ein Tool-Ergebnis hätte nicht gepasst',
  'real-time': 'die Antwort erreichte beim Schreiben die Grenze des Kontextfensters',
  'provider-overflow': 'der Anbieter hat die Anfrage als zu lang abgelehnt',
  background: 'nach einer Antwort im Voraus vorbereitet',
  'turn-end': 'eine Antwort war zu Ende',
};

/**
 * Names of fields, of site settings and of kinds of sections by the English ones. Stored summaries of earlier versions
 * contain `opening`, `points`, `words on the button` and others that are no longer in use.
 */
const names: Readonly<Record<string, string>> = {
  address: 'Adresse',
  'accent colour': 'Akzentfarbe',
  'addresses that lead on': 'Weiterleitungen',
  alt: 'Beschreibung',
  answer: 'Antwort',
  author: 'Autor',
  block: 'Block',
  body: 'Text',
  'button label': 'Text der Schaltfläche',
  'button link': 'Ziel der Schaltfläche',
  'call to action': 'Aufforderung',
  caption: 'Bildunterschrift',
  children: 'Unterpunkte',
  'contact e-mail': 'Kontakt-E-Mail',
  count: 'Anzahl',
  description: 'Beschreibung',
  'description of the picture': 'Bildbeschreibung',
  FAQ: 'FAQ',
  features: 'Stichpunkte',
  fields: 'Felder',
  filename: 'Dateiname',
  'footer text': 'Fußzeile',
  form: 'Formular',
  gallery: 'Galerie',
  heading: 'Überschrift',
  hero: 'Auftakt',
  highlights: 'Stichpunkte',
  'home page': 'Startseite',
  href: 'Adresse',
  HTML: 'HTML',
  icon: 'Symbol',
  image: 'Bild',
  images: 'Bilder',
  introduction: 'Einleitung',
  items: 'Einträge',
  kind: 'Art',
  label: 'Bezeichnung',
  layout: 'Anordnung',
  meaning: 'Bedeutung',
  menu: 'Menü',
  'nav label': 'Menüname',
  'newest posts': 'Neueste Beiträge',
  opening: 'Auftakt',
  options: 'Antworten zur Auswahl',
  parent: 'übergeordnete Seite',
  picture: 'Bild',
  points: 'Stichpunkte',
  'publication planned for': 'Veröffentlichung geplant für',
  question: 'Frage',
  quote: 'Zitat',
  required: 'Pflichtfeld',
  redirects: 'Weiterleitungen',
  role: 'Rolle',
  rules: 'Regeln',
  'SEO details': 'SEO-Angaben',
  seo: 'SEO',
  'seo description': 'SEO-Beschreibung',
  'seo image': 'SEO-Bild',
  'seo no index': 'in Suchmaschinen auslassen',
  'seo title': 'SEO-Titel',
  'short description': 'Kurzbeschreibung',
  'site name': 'Name der Website',
  subheading: 'Text unter der Überschrift',
  tag: 'Schlagwort',
  tagline: 'Untertitel',
  tags: 'Schlagwörter',
  term: 'Begriff',
  text: 'Text',
  thanks: 'Dank',
  'thanks page': 'Dankesseite',
  title: 'Titel',
  voice: 'Tonfall',
  'where the button leads': 'Ziel der Schaltfläche',
  words: 'Begriffe',
  'words below the heading': 'Text unter der Überschrift',
  'words on the button': 'Text der Schaltfläche',
};

/** The title of a call: `Seite anlegen`, while it runs too, and `Seite angelegt` once it is done. */
const called =
  (what: string, infinitive: string, participle: string, after = ''): Titled =>
  (tense) => {
    const title = `${what} ${tense === 'done' ? participle : infinitive}${after}`;
    return title.charAt(0).toUpperCase() + title.slice(1);
  };
const hits = (count: number | null) => (count === null ? '' : `: ${count} Treffer`);
const forQuery = (query: string | null) => (query === null ? '' : ` nach „${query}“`);
const sectionNamed = (type: string) => names[sectionTypeName(type)] ?? type;
const some = (type: string) => (type === 'post' ? 'Beiträge' : 'Seiten');
const titled = (text: string | null, otherwise: string) => (text === null ? otherwise : `„${text}“`);

/** Every word of the interface in German. */
export const de = {
  strings: {
    product: 'Throughline',
    page: {
      outline: 'Gliederung der Seite',
      settings: 'Seiteneinstellungen',
      new: 'Neue Seite',
      undo: 'Letzten Schritt rückgängig machen',
      redo: 'Wiederholen',
      history: 'Versionen',
      publish: 'Veröffentlichen',
    },
    openHistory: (count) => (count === 0 ? 'Verlauf öffnen' : `Verlauf öffnen: ${changes(count)}`),
    waitingCalls: (count) =>
      count === 1 ? '1 Schritt wartet auf Sie' : `${number.format(count)} Schritte warten auf Sie`,
    notFound: {
      title: 'Seite nicht gefunden',
      body: 'Die Seite wurde vielleicht umbenannt, offline genommen oder gelöscht.',
      home: 'Zum Assistenten',
    },
    tooManyPages: {
      title: 'Zu viele Anfragen',
      body: (seconds) =>
        `Aus Ihrem Netzwerk wurden in der letzten Minute zu viele Seiten abgerufen. Versuchen Sie es in ${plural(seconds, 'Sekunde', 'Sekunden')} erneut.`,
    },
    crash: {
      title: 'Diese Seite konnte nicht angezeigt werden',
      body: 'Ihre Unterhaltungen und Ihre Website sind gespeichert und nicht betroffen. Meist hilft ein neuer Versuch.',
      retry: 'Erneut versuchen',
      home: 'Zur Startseite',
    },
    sites: {
      label: 'Website, an der dieser Tab arbeitet',
      own: (name) => `${name} (hier gespeichert)`,
      gone: 'Die Website, an der Sie gearbeitet haben, ist nicht mehr da. Dies ist eine andere.',
      none: 'Für Sie gibt es noch keine Website',
      noneBody:
        'Alles hier handelt von einer Website, und Sie dürfen an keiner arbeiten. Bitten Sie einen Administrator, Ihnen eine zu geben: in den Einstellungen unter „Personen“, bei Ihrem Namen. Versuchen Sie es danach erneut.',
      goneBelow:
        'Die Website dieser Unterhaltung ist nicht mehr verbunden. Was gesagt wurde, lässt sich lesen; mehr geht nicht.',
    },
    common: {
      copied: 'Kopiert',
      copyFailed: 'Ihr Browser hat das Kopieren nicht erlaubt.',
      cancel: 'Abbrechen',
      close: 'Schließen',
      retry: 'Erneut versuchen',
      save: 'Speichern',
      failed: (reason) => `Das hat nicht geklappt: ${reason}`,
      notFetched: 'Ein Teil der Seite konnte nicht geladen werden. Laden Sie die Seite neu.',
    },
    language: {
      label: 'Sprache',
      body: 'Die Sprache dieser Oberfläche. Der Assistent antwortet in der Sprache, in der Sie schreiben, und die Website behält ihre eigene.',
      auto: 'Wie im Browser eingestellt',
    },
    unsaved: {
      title: 'Ohne Speichern schließen?',
      body: 'Was Sie eingegeben haben, geht verloren.',
      leave: 'Ohne Speichern schließen',
    },
    theme: { label: 'Design', light: 'Hell', dark: 'Dunkel', system: 'System' },
    marks: {
      private: 'Privat',
      password: 'Passwortgeschützt',
      pending: 'Wartet auf Freigabe',
      sticky: 'Oben gehalten',
      'read-only': 'Mit einem Page-Builder oder Plugin erstellt: Inhalt nur dort änderbar',
    },
    connection: {
      lost: 'Der Server ist nicht erreichbar. Neuer Versuch läuft …',
      back: 'Wieder verbunden.',
    },
    errors: {
      network: 'Der Server ist nicht erreichbar.',
      unexpected: (status) => `Der Server hat mit dem Status ${String(status)} geantwortet.`,
    },
  },
  toolStrings: {
    input: 'Eingabe',
    result: 'Ergebnis',
    error: 'Fehler',
    show: 'Anzeigen',
    showLabel: (title) => `„${title}“ in der Vorschau anzeigen`,
    viewLive: 'Live ansehen',
    writing: (title, length) => `${title ?? 'Text'} wird geschrieben … ${length}`,
    words: (count) => plural(count, 'Wort', 'Wörter'),
    characters: (count) => plural(count, 'Zeichen', 'Zeichen'),
    running: 'Läuft',
    done: 'Erledigt',
    failed: 'Fehlgeschlagen',
    waiting: 'Wartet auf Zustimmung',
    approved: 'Erlaubt',
    denied: 'Nicht ausgeführt',
    deniedNote: (reason) =>
      reason === null ? 'Nicht ausgeführt, wie Sie entschieden haben.' : `Nicht ausgeführt: ${reason}`,
    nothing: 'Nichts',
    moreItems: (count) => `${number.format(count)} weitere anzeigen`,
    details: 'Einzelheiten dieses Schritts',
    technical: 'Eingabe und Ergebnis',
    moreText: (count) =>
      count === 1 ? '1 weiteres Zeichen anzeigen' : `${number.format(count)} weitere Zeichen anzeigen`,
    answered: 'Beantwortet',
    took: (duration) => `Dauer: ${duration}`,
    instant: '< 0,1 s',
    cleared: 'Für das Modell nicht mehr sichtbar',
    clearedHint:
      'Beiseitegelegt, um Platz zu schaffen. Hier bleibt es lesbar, und der Assistent kann es wieder nachschlagen.',
    excerpt: 'Das Modell sieht nur einen Auszug',
    excerptHint: 'Gekürzt, um Platz zu schaffen. Hier lesen Sie alles, und der Assistent kann es nachschlagen.',
    copyInput: 'Eingabe kopieren',
    copyResult: 'Ergebnis kopieren',
    images: 'Bilder im Ergebnis',
  },
  approvalStrings: {
    title: (count) =>
      count === 1 ? 'Das braucht Ihre Zustimmung' : `Diese ${number.format(count)} Schritte brauchen Ihre Zustimmung`,
    editorialTitle: (count) =>
      count === 1
        ? 'Das braucht die Zustimmung eines Redakteurs'
        : `Diese ${number.format(count)} Schritte brauchen die Zustimmung eines Redakteurs`,
    body: 'Bis zu Ihrer Entscheidung passiert nichts. Eine weitere Nachricht gilt als Nein.',
    editorial:
      'Ein Redakteur oder Administrator entscheidet und wurde benachrichtigt. Sie können in einer anderen Unterhaltung weiterarbeiten; eine weitere Nachricht hier zieht die Bitte zurück.',
    withdraw: 'Zurückziehen',
    approveAll: 'Alles ausführen',
    denyAll: 'Nichts davon ausführen',
    references: (count) => plural(count, 'Verweis darauf', 'Verweise darauf'),
    referenceKinds: {
      link: 'verlinkt darauf',
      image: 'zeigt es',
      block: 'zeigt es',
      child: 'ist eine Unterseite davon',
      navigation: 'verlinkt darauf',
      home: 'nutzt sie als Startseite',
    },
    draftOnly: 'im Entwurf',
    changes: 'Was sich ändert',
    omitted: (count) => `${plural(count, 'weiterer Eintrag wird', 'weitere Einträge werden')} hier nicht angezeigt.`,
    complete: 'Alle Unterschiede anzeigen',
    completeFailed: 'Die Unterschiede konnten nicht vollständig geladen werden.',
    fromOlderVersion:
      'Diese Anfrage hat eine ältere Version von Throughline gespeichert. Lange Texte sind hier gekürzt: Prüfen Sie die Vorschau.',
    preview: (title) => `Vorschau von „${title}“`,
  },

  strategyWords,

  compactionFacts: {
    reason: (trigger) => (trigger === 'manual' ? 'Manuell gestartet' : `Grund: ${compactionTriggers[trigger]}`),
    strategy: (name) => (name in strategyWords ? strategyWords[name as StrategyName].name : name),
    change: fromTo,
  },

  changesStrings: {
    title: 'Änderungen',
    whatChanged: 'Was sich geändert hat',
    loading: 'Änderungen werden geladen …',
    failed: 'Die Änderungen konnten nicht geladen werden.',
    empty: 'Noch wurde nichts geändert',
    who: {
      assistant: 'Assistent',
      user: 'Sie',
      api: 'API',
      seed: 'Beispielinhalte',
      import: 'Import',
      schedule: 'Zeitplan',
      external: 'Im CMS selbst',
    },
    deletedPerson: 'Gelöschte Person',
    byHand: 'Von Hand',
    forWhom: {
      assistant: 'Assistent, für',
      user: '',
      api: 'API, für',
      seed: 'Beispielinhalte,',
      import: 'Import, von',
      schedule: 'Zeitplan, für',
      external: 'Im CMS selbst,',
    },
    inConversation: 'Unterhaltung',
    inConversationLabel: (summary) => `Zur Unterhaltung: ${summary}`,
    approved: 'Genehmigt',
    undone: 'Rückgängig gemacht',
    answerUndone: 'Was diese Antwort geändert hat, wurde rückgängig gemacht.',
    loadingDetails: 'Details der Änderung werden geladen …',
    detailsFailed: 'Die Details der Änderung konnten nicht geladen werden.',
    noFields: 'Am Inhalt hat sich nichts geändert.',
    added: 'Hinzugefügt',
    removed: 'Entfernt',
    changed: 'Geändert',
    moved: 'Verschoben',
    movedTo: (before, after) => `${before} → ${after}`,
    kindOf: (kind) => `${kind}: `,
    item: (place) => `Eintrag ${place}`,
    position: (place) => `Position ${place}`,
    fromCharacter: (place) => `Ab Zeichen ${number.format(place)}`,
    omitted: ({ differences, characters: left }) =>
      differences === 0
        ? `${plural(left, 'weiteres Zeichen', 'weitere Zeichen')} hier nicht angezeigt.`
        : `${plural(differences, 'weiterer Unterschied', 'weitere Unterschiede')} hier nicht angezeigt, mit ${characters(left)}.`,
    address: 'Adresse',
    yes: 'ja',
    no: 'nein',
    folded: '…',
    unfold: (count) =>
      count === 1 ? '1 unverändertes Zeichen anzeigen' : `${number.format(count)} unveränderte Zeichen anzeigen`,
    undo: 'Rückgängig machen',
    undoLabel: (summary) => `Rückgängig machen: ${summary}`,
    redo: 'Wiederholen',
    redoLabel: (summary) => `Wiederholen: ${summary}`,
    undoTurnAction: 'Änderungen dieser Antwort rückgängig machen',
    undoneToast: (summary) => `Rückgängig gemacht: ${summary}`,
    redoneToast: (summary) => `Wiederholt: ${summary}`,
    undoneMany: (count) => `${changes(count)} rückgängig gemacht`,
    redoneMany: (count) => `${changes(count)} wiederholt`,
    dialog: {
      turnTitle: 'Änderungen dieser Antwort rückgängig machen?',
      checking: 'Es wird geprüft, was rückgängig gemacht würde …',
      checkFailed: 'Es konnte nicht geprüft werden, was rückgängig gemacht würde.',
      nothing: 'Es gibt nichts mehr rückgängig zu machen.',
      body: (count) =>
        count === 1
          ? '1 Änderung wird rückgängig gemacht. Sie können sie danach wiederholen.'
          : `${number.format(count)} Änderungen werden rückgängig gemacht. Sie können sie danach wiederholen.`,
      takesBack: 'Wird rückgängig gemacht',
      stays: (count) =>
        count === 1 ? '1 Änderung bleibt, wie sie ist' : `${number.format(count)} Änderungen bleiben, wie sie sind`,
      staysBody:
        'An denselben Stellen gab es spätere Änderungen. Diese hier lassen sich nur zusammen mit jenen rückgängig machen.',
      along: 'Auch die späteren rückgängig machen',
      alongAll: 'Alle rückgängig machen, auch die späteren',
      confirm: (count) => `${changes(count)} rückgängig machen`,
      none: 'An denselben Stellen gab es spätere Änderungen: Auch sie müssen rückgängig gemacht werden.',
      more: (count) => `und ${number.format(count)} weitere`,
      conflictTitle: 'Spätere Änderungen bauen auf dieser auf',
      conflictBody:
        'An derselben Stelle gab es spätere Änderungen, deshalb wurde noch nichts getan. Sie lassen sich zusammen mit dieser rückgängig machen, und alles kann wiederholt werden.',
      redoConflictTitle: 'Das lässt sich nicht allein wiederholen',
      redoConflictBody:
        'An derselben Stelle wurde später etwas geändert oder rückgängig gemacht, deshalb wurde nichts getan. Wiederholen Sie zuerst diese spätere Änderung oder machen Sie sie rückgängig.',
      later: 'Später geändert',
      laterBy: (who, when) => `${who}, ${when}`,
    },
    history: {
      title: (title) => `Versionen von „${title}“`,
      loading: 'Versionen werden geladen …',
      failed: 'Die Versionen konnten nicht geladen werden.',
      current: 'Aktuelle Version',
      wasPublished: 'Veröffentlicht',
      restore: 'Wiederherstellen',
      restoreLabel: (when) => `Diese Version wiederherstellen: ${when}`,
      restored: 'Wiederhergestellt. Es bleibt ein Entwurf, bis Sie ihn veröffentlichen.',
      discard: 'Zurück zur veröffentlichten Version',
      discardTitle: 'Änderungen seit der Veröffentlichung verwerfen?',
      discardBody:
        'Der Entwurf entspricht danach wieder dem, was Besucher jetzt sehen. Sie können das rückgängig machen.',
      discarded: 'Der Entwurf entspricht wieder der veröffentlichten Version.',
    },
  },

  historyStrings: {
    name: 'Verlauf',
    label: 'Verlauf: was diese Unterhaltung geändert hat',
    loading: 'Verlauf wird geladen …',
    failed: 'Der Verlauf konnte nicht geladen werden.',
    empty: 'Noch hat sich nichts geändert',
    emptyBody:
      'Jede Antwort, die die Website ändert, wird hier zu einer Station, ebenso alles, was Sie von Hand ändern.',
    allChanges: 'Alle Änderungen der Website',
    back: 'Zurück zum Verlauf',
    summary: 'Ältere Nachrichten zusammengefasst',
    summaryBody: 'Ab hier liest der Assistent eine Zusammenfassung des zuvor Gesagten. Nichts wird gelöscht.',
    byHand: (who) => `Von Hand: ${who}`,
    request: (when) => `Auftrag: ${when}`,
    undone: 'Rückgängig gemacht',
    takenAlong: 'Zurückgenommen: Ein früherer Stand wurde wiederhergestellt',
    partlyUndone: 'Teilweise rückgängig gemacht',
    checkpoint: (when, title, count, state) =>
      [when, title, ...(count > 0 ? [changes(count)] : []), ...(state === '' ? [] : [state])].join(', '),
    hint: 'Die Pfeiltasten zeigen die Website, wie sie an jeder Station war. Die Eingabetaste öffnet die Station, Esc führt zum aktuellen Stand zurück.',
    card: {
      label: (when) => `Station: ${when}`,
      changes: 'Was sich geändert hat',
      picture: (title) => `${title}, wie es damals war`,
      show: 'Anzeigen',
      showLabel: (when) => `Website anzeigen, wie sie damals war: ${when}`,
      undoAll: 'Alles rückgängig machen',
      restore: 'Wiederherstellen',
      toMessage: 'In der Unterhaltung zeigen',
      close: 'Station schließen',
      more: (count) =>
        count === 1 ? '1 weitere Änderung anzeigen' : `${number.format(count)} weitere Änderungen anzeigen`,
    },
    past: {
      label: 'Ein früherer Stand der Website',
      title: (when) => `Stand: ${when}`,
      now: 'Aktueller Stand',
      earlier: 'Früher',
      later: 'Später',
      restore: 'Wiederherstellen',
      noVersions:
        'Diese Website bewahrt keine früheren Versionen ihrer Seiten auf, daher lassen sie sich hier weder anzeigen noch wiederherstellen.',
    },
    restore: {
      title: (when) => `Diesen Stand wiederherstellen: ${when}?`,
      scope: 'Was wiederhergestellt wird',
      page: (title) => `Nur „${title}“`,
      conversation: 'Alles, was diese Unterhaltung seitdem geändert hat',
      checking: 'Es wird geprüft, was davon betroffen ist …',
      checkFailed: 'Es konnte nicht geprüft werden, was davon betroffen ist.',
      body: (count) =>
        count === 0
          ? 'Besucher sehen erst einen Unterschied, wenn Sie veröffentlichen.'
          : `${count === 1 ? '1 späterer Schritt wird' : `${number.format(count)} spätere Schritte werden`} dabei zurückgenommen. Besucher sehen die Seiten unverändert, bis Sie veröffentlichen; Sie können alles in einem Schritt rückgängig machen.`,
      along: 'Spätere Schritte, die dabei zurückgenommen werden',
      others: (count) => `${steps(count)} anderer Personen ${count === 1 ? 'ginge' : 'gingen'} verloren`,
      othersBody: 'Fragen Sie im Zweifel zuerst nach. Es lässt sich rückgängig machen.',
      more: (count) => `und ${number.format(count)} weitere`,
      confirm: 'Wiederherstellen',
      confirmOver: (count) => `Wiederherstellen und ${steps(count)} anderer verwerfen`,
      done: (when) => `Stand wiederhergestellt: ${when}`,
    },
    search: {
      label: 'Unterhaltungen durchsuchen',
      scope: 'Wo gesucht wird',
      here: 'Diese Unterhaltung',
      everywhere: 'Alle Unterhaltungen',
      tooShort: 'Geben Sie mindestens zwei Buchstaben ein.',
      searching: 'Wird gesucht …',
      failed: 'Die Suche ist fehlgeschlagen.',
      none: (query) => `Keine Fundstelle für „${query}“.`,
      found: (count) => plural(count, 'Fundstelle', 'Fundstellen'),
      results: 'Fundstellen',
      more: 'Weitere Fundstellen anzeigen',
      you: 'Sie',
      assistant: 'Assistent',
      wrote: 'Assistent, auf der Seite',
    },
    leave: {
      title: 'Fertig für heute',
      open: 'Fertig für heute?',
      changed: (count) => (count === 0 ? 'Keine Seite geändert.' : `${pages(count)} geändert.`),
      cost: (dollars) => `Diese Unterhaltung hat bisher ${dollars} gekostet.`,
      noCost: 'Der Anbieter nennt die Kosten dieser Unterhaltung nicht.',
      waiting: (count) =>
        count === 0
          ? 'Nichts aus dieser Unterhaltung wartet auf die Veröffentlichung.'
          : `${pages(count)} aus dieser Unterhaltung ${count === 1 ? 'wartet' : 'warten'} auf die Veröffentlichung.`,
      elsewhere: (count) =>
        count === 1
          ? '1 andere Seite der Website hat unveröffentlichte Änderungen.'
          : `${number.format(count)} andere Seiten der Website haben unveröffentlichte Änderungen.`,
      list: 'Wartet auf die Veröffentlichung',
      publish: 'Veröffentlichen',
      publishLabel: (title) => `„${title}“ veröffentlichen`,
      publishAll: 'Alle veröffentlichen',
      confirmTitle: (count) => `${pages(count)} veröffentlichen?`,
      confirmBody:
        'Besucher sehen die neuen Fassungen sofort. Das lässt sich bei jeder Seite unter „Versionen“ rückgängig machen.',
      confirmPrivate: (titles) =>
        titles.length === 1
          ? `${quoted(titles)} ist derzeit privat: Nach dem Veröffentlichen können es alle sehen.`
          : `${quoted(titles)} sind derzeit privat: Nach dem Veröffentlichen können alle sie sehen.`,
      published: (count) => `${pages(count)} veröffentlicht`,
      checking: 'Wird gezählt …',
      show: (title) => `„${title}“ anzeigen`,
    },
  },

  decisions: {
    publish_content: { approve: 'Veröffentlichen', refuse: 'Nicht jetzt' },
    plan: { approve: 'Planen', refuse: 'Nicht jetzt' },
    cancelSchedule: { approve: 'Planung aufheben', refuse: 'Beibehalten' },
    unpublish_content: { approve: 'Offline nehmen', refuse: 'Online lassen' },
    delete_content: { approve: 'Löschen', refuse: 'Behalten' },
    set_navigation: { approve: 'Menü ändern', refuse: 'Beibehalten' },
    set_settings: { approve: 'Einstellungen ändern', refuse: 'Beibehalten' },
    remember_instruction: { approve: 'Für die Website merken', refuse: 'Nicht merken' },
    undo: { approve: 'Rückgängig machen', refuse: 'Beibehalten' },
    other: { approve: 'Erlauben', refuse: 'Nicht erlauben' },
  },

  deletions: { page: 'Seite löschen', post: 'Beitrag löschen', asset: 'Bild löschen' },

  callStrings: {
    title: 'Wartet auf Sie',
    body: 'Was Autoren veröffentlichen oder ändern möchten, und Schritte, die andere Assistenten mit API-Schlüsseln ausführen möchten. Bis zu Ihrer Entscheidung passiert nichts.',
    authorsBody:
      'Schritte, die andere Assistenten mit Ihren API-Schlüsseln ausführen möchten. Ein Redakteur oder Administrator entscheidet darüber; Sie können sie zurückziehen.',
    empty: 'Nichts wartet auf Sie.',
    loading: 'Wartende Schritte werden geladen …',
    loadFailed: 'Die wartenden Schritte konnten nicht geladen werden.',
    list: 'Wartende Schritte',
    asks: (key, owner) =>
      `${key === null ? 'Ein Programm ohne Schlüssel' : `„${key}“`}${owner === null ? '' : `, ein Schlüssel von ${owner},`} bittet:`,
    details: 'Eingabe',
    until: 'Angefragt:',
    authorAsks: (name) => `${name} bittet in einer Unterhaltung:`,
    agreed: 'Erlaubt und ausgeführt.',
    approved: 'Erlaubt. Es wird ausgeführt, wenn der Assistent wieder fragt.',
    denied: 'Nicht ausgeführt. Der Assistent erfährt es.',
    connect: {
      title: 'Einen anderen Assistenten verbinden',
      body: 'Assistenten, die das Model Context Protocol sprechen, können mit einem eigenen Schlüssel die Website lesen und an ihren Entwürfen arbeiten. Um zu veröffentlichen, zu löschen oder zu ändern, was Besucher sehen, bitten sie um Ihre Zustimmung unter',
      account: 'Konto, Wartet auf Sie',
      end: '.',
      create: 'Schlüssel für einen Assistenten erstellen',
      former:
        'Vorhandene Schlüssel behalten ihre Rechte. Ein Schlüssel mit „Website ändern“ fragt unter /mcp ebenfalls, über REST aber veröffentlicht und löscht er, ohne zu fragen: Widerrufen Sie ihn und erstellen Sie hier einen Schlüssel für Entwürfe.',
      address: 'Adresse',
      copyAddress: 'Adresse kopieren',
      snippet: 'Konfiguration',
      copySnippet: 'Konfiguration kopieren',
      key: 'IHR_SCHLUESSEL',
    },
  },

  previewStrings: {
    label: 'Vorschau',
    skip: 'Zu den Abschnitten der Seite springen',
    show: 'Vorschau einblenden',
    hide: 'Vorschau ausblenden',
    draft: 'Entwurf',
    published: 'Online',
    mode: 'Welche Version angezeigt wird',
    onlyDraft: 'Diese Seite ist nicht veröffentlicht: Besucher finden hier nichts.',
    inDraft: 'Die neuesten Änderungen stehen im Entwurf. Besucher sehen sie noch nicht.',
    showDraft: 'Entwurf anzeigen',
    device: 'Bildschirmbreite',
    devices: {
      desktop: 'Desktop, 1.280 Pixel',
      tablet: 'Tablet, 768 Pixel',
      phone: 'Smartphone, 390 Pixel',
      fit: 'So breit wie die Vorschau',
    },
    more: 'Mehr zu dieser Seite',
    openTab: 'In neuem Tab öffnen',
    reload: 'Vorschau neu laden',
    pick: 'Seite oder Beitrag auswählen',
    pickSearch: 'Seite oder Beitrag suchen',
    pages: 'Seiten',
    posts: 'Beiträge',
    none: 'Keine Treffer.',
    listFailed: 'Die Liste konnte nicht geladen werden.',
    look: {
      draft: 'So zeigt WordPress diesen Entwurf mit seinem Theme. Skripte sind aus.',
      published: 'Die veröffentlichte Seite, wie Besucher sie sehen, ohne Skripte.',
      ours: 'In unserer Gestaltung. Besucher sehen das Theme von WordPress.',
      gaps: {
        'no-companion':
          'Um jeden Entwurf hier mit seinem Theme zu sehen und auf Abschnitte zu zeigen, installieren Sie das Begleit-Plugin in WordPress.',
        'old-companion':
          'Das Begleit-Plugin in WordPress ist zu alt, um Entwürfe mit ihrem Theme zu zeigen: Ersetzen Sie seine Datei durch die neue.',
        'no-page': 'WordPress hat dafür keine eigene Seite.',
        failed:
          'WordPress konnte diesen Entwurf gerade nicht zeigen. Laden Sie die Vorschau neu; bleibt es dabei, scheitert vielleicht ein Plugin oder das Theme daran.',
      },
      guide: 'So wird es installiert',
      toOurs: 'In unserer Gestaltung schreiben',
      toTheirs: 'Wie in WordPress zeigen',
    },
    resize: 'Breite der Vorschau',
    frame: (title) => `Vorschau von ${title}`,
    home: 'Startseite',
    statuses: { draft: 'Entwurf', published: 'Veröffentlicht', changed: 'Geändert' },
  },

  commandStrings: {
    open: 'Befehle',
    label: 'Befehle',
    placeholder: 'Befehl, Unterhaltung oder Modell eingeben …',
    none: 'Keine Treffer.',
    pages: { conversations: 'Unterhaltungen', models: 'Modelle', commands: 'Befehle' },
    found: (count) =>
      `${plural(count, 'Befehl', 'Befehle')}. Pfeiltasten wählen, die Eingabetaste führt aus, Esc schließt.`,
    unknown: (name) => `Den Befehl /${name} gibt es nicht. Geben Sie / ein, um alle zu sehen.`,
    noSuchChoice: (argument, choices) => `„${argument}“ gehört nicht dazu: ${choices}.`,
    needsArgument: (hint) => `Es fehlt noch: ${hint}.`,
    with: (title) => `Eingabetaste: ${title}`,
    current: 'jetzt',
    titles: {
      new: 'Neue Unterhaltung beginnen',
      compact: 'Platz schaffen: ältere Nachrichten jetzt zusammenfassen',
      prune: 'Alte Ergebnisse jetzt beiseitelegen',
      undo: 'Letzte Änderung rückgängig machen',
      export: 'Diese Unterhaltung exportieren',
      model: 'Modell auswählen',
      rename: 'Diese Unterhaltung umbenennen',
      stop: 'Antwort stoppen',
      search: 'Unterhaltungen durchsuchen',
      preview: 'Vorschau ein- oder ausblenden',
      theme: 'Design ändern',
      help: 'Befehle und Tastenkürzel anzeigen',
      changes: 'Verlauf der Änderungen anzeigen',
      done: 'Fertig für heute',
      media: 'Mediathek öffnen',
      messages: 'Nachrichten aus Formularen lesen',
      site: 'Name, Menü und Einstellungen der Website',
      trash: 'Papierkorb öffnen',
      admin: 'Verwaltung öffnen',
    },
    arguments: {
      compact: 'worauf es ankommt',
      export: 'markdown oder json',
      model: 'Name',
      rename: 'Titel',
      search: 'Suchwörter',
      theme: 'light, dark oder system',
    },
    formats: { markdown: 'Markdown, zum Lesen', json: 'JSON, zum erneuten Importieren' },
    undo: (summary) => `Rückgängig machen: ${summary}`,
    undone: (summary) => `Rückgängig gemacht: ${summary}`,
    renameTo: 'Neuer Titel',
    renamed: 'Unterhaltung umbenannt',
    modelChosen: (name) => `Die nächste Nachricht geht an ${name}`,
    nothingToClear: 'Noch nichts beiseitezulegen',
    whyNot: {
      noConversation: 'Es gibt noch keine Unterhaltung',
      running: 'Nicht, während der Assistent antwortet',
      compacting: 'Die Unterhaltung wird gerade zusammengefasst',
      nothingRuns: 'Es läuft nichts',
      nothingToUndo: 'Es gibt nichts rückgängig zu machen',
      oneModel: 'Es gibt nur ein Modell',
    },
  },

  shortcutStrings: {
    open: 'Tastenkürzel',
    title: 'Tastenkürzel',
    commandsTitle: 'Befehle',
    commandsBody: 'Geben Sie / in eine leere Nachricht ein oder öffnen Sie die Liste der Befehle.',
    or: 'oder',
    modifiers: { mod: 'Strg', alt: 'Alt', shift: 'Umschalt' },
    keys: { ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', Enter: 'Eingabe', Delete: 'Entf', Tab: 'Tab' },
    groups: {
      everywhere: 'Überall',
      conversation: 'In einer Unterhaltung',
      composer: 'Beim Schreiben einer Nachricht',
      page: 'Auf den Abschnitten der Seite',
      text: 'Beim Schreiben auf der Seite',
    },
    actions: {
      palette: 'Befehl, Unterhaltung oder Modell suchen',
      help: 'Diese Liste anzeigen',
      'new-conversation': 'Neue Unterhaltung beginnen',
      'next-conversation': 'Nächste Unterhaltung in der Liste',
      'previous-conversation': 'Vorherige Unterhaltung in der Liste',
      'focus-composer': 'Nachricht schreiben',
      'focus-page': 'Zu den Abschnitten der Seite',
      'toggle-sidebar': 'Unterhaltungen ein- oder ausblenden',
      'toggle-preview': 'Vorschau ein- oder ausblenden',
      undo: 'Letzten Schritt rückgängig machen, Ihren oder den des Assistenten',
      redo: 'Wiederholen',
      stop: 'Antwort stoppen',
      'copy-answer': 'Letzte Antwort kopieren',
      'edit-last': 'Ihre letzte Nachricht bearbeiten, bei leerem Feld',
      send: 'Senden oder, während der Assistent antwortet, einreihen',
      'new-line': 'Neue Zeile beginnen',
      commands: 'Befehl auswählen, bei leerem Feld',
      'choose-section': 'Voriger oder nächster Abschnitt',
      'write-section': 'Im Abschnitt schreiben',
      'move-section': 'Abschnitt nach oben oder unten verschieben',
      'remove-section': 'Abschnitt entfernen',
      'leave-section': 'Keinen Abschnitt auswählen',
      bold: 'Fett',
      italic: 'Kursiv',
      link: 'Link',
      indent: 'Listenpunkt einrücken; sonst zum nächsten Text',
      outdent: 'Listenpunkt ausrücken; sonst zu den Werkzeugen',
      'line-break': 'Neue Zeile im Absatz beginnen',
      'leave-text': 'Schreiben beenden',
    },
    copied: 'Antwort kopiert',
    nothingToCopy: 'Es gibt noch keine Antwort zum Kopieren',
  },

  docsStrings: {
    title: 'API-Referenz',
    shell: {
      nav: 'Referenz',
      home: 'Throughline, API-Referenz',
      skip: 'Zur Referenz springen',
      back: 'Zurück zum Assistenten',
      document: 'OpenAPI-Dokument',
    },
    search: 'API durchsuchen',
    found: (count) => `${number.format(count)} gefunden`,
    areas: 'Bereiche',
    shapes: { title: 'Datentypen', intro: 'Objekte, die mehrere Anfragen und Antworten gemeinsam haben.' },
    start: {
      operations: (count) => plural(count, 'Operation', 'Operationen'),
      refusals: 'Fehler',
      refusalsIntro:
        'Jeder Fehler von /api ist JSON mit einem Code für Programme und einer Meldung für Menschen; /v1 verwendet das Fehlerformat von OpenAI.',
      status: 'Status',
      meaning: 'Bedeutung',
    },
    access: {
      title: 'Zugriff',
      public: 'Alle',
      'signed-in': 'Angemeldete Benutzer oder ein beliebiger API-Schlüssel',
      person: 'Angemeldete Benutzer; kein API-Schlüssel',
      administrator: 'Angemeldete Administratoren; kein API-Schlüssel',
      scope: (scope) => `API-Schlüssel mit dem Recht ${scope}`,
      admin: 'Administratoren und API-Schlüssel mit dem Recht admin',
    },
    parts: {
      path: 'Pfadparameter',
      query: 'Query-Parameter',
      body: 'Body',
      answer: 'Antwort',
      events: 'Ereignisse',
      refusals: 'Fehler',
      example: 'Beispiel',
      exampleAnswer: 'Die Antwort darauf',
    },
    optional: 'optional',
    fieldsOf: (name) => `Felder von ${name}`,
    variants: 'Eines von',
    nothing: 'Kein Body.',
    copy: 'Befehl kopieren',
    defaultIs: (value) => `Standard: ${value}`,
  },

  pagesStrings: {
    title: 'Seiten und Beiträge',
    intro:
      'Alles auf dieser Website, auch Entwürfe. Öffnen Sie einen Eintrag, um ihn von Hand oder mit dem Assistenten zu ändern.',
    new: 'Neue Seite oder neuer Beitrag',
    search: 'Seiten und Beiträge suchen',
    state: 'Status',
    anyState: 'Alle',
    states: {
      draft: 'Entwurf',
      published: 'Veröffentlicht',
      changed: 'Veröffentlicht, mit Änderungen',
      scheduled: 'Geplant',
    },
    scheduled: (when) => `Geht online: ${when}`,
    types: {
      page: { title: 'Seiten', empty: 'Noch keine Seiten vorhanden.', none: 'Keine passende Seite.' },
      post: { title: 'Beiträge', empty: 'Noch keine Beiträge vorhanden.', none: 'Kein passender Beitrag.' },
    },
    count: (count) => plural(count, 'Eintrag', 'Einträge'),
    loading: 'Wird geladen …',
    failed: 'Die Liste konnte nicht geladen werden.',
    more: 'Mehr anzeigen',
    open: (title) => `${title} öffnen`,
    below: (title) => `unter ${title}`,
    sections: (count) => plural(count, 'Abschnitt', 'Abschnitte'),
    menu: (title) => `Aktionen für ${title}`,
    copy: 'Kopie anlegen',
    view: 'Live ansehen',
    preview: 'Vorschau in neuem Tab',
    edited: 'bearbeitet',
  },

  compactionStrings: {
    running: 'Ältere Nachrichten werden zusammengefasst …',
    cancel: 'Abbrechen',
    cancelLabel: 'Zusammenfassen abbrechen',
    cancelling: 'Wird abgebrochen …',
    cancelled: 'Zusammenfassen abgebrochen. Nichts wurde geändert.',
    cancelledInTurn:
      'Zusammenfassen abgebrochen. Die Antwort geht ohne eine vom Modell geschriebene Zusammenfassung weiter.',
    notCancelled: 'Es war fertig, bevor es abgebrochen werden konnte.',
    compacted: 'Ältere Nachrichten zusammengefasst. Nichts gelöscht.',
    whatWasKept: 'Was behalten wurde',
    tokens: (before, after) => `${number.format(before)} → ${number.format(after)} Tokens.`,
    pruned: (outputs, saved) =>
      outputs === 1
        ? `1 altes Ergebnis entfernt, ${number.format(saved)} Tokens frei. Hier bleibt es lesbar.`
        : `${number.format(outputs)} alte Ergebnisse entfernt, ${number.format(saved)} Tokens frei. Hier bleiben sie lesbar.`,
    undo: 'Rückgängig machen',
    undone: 'Rückgängig gemacht. Der Assistent sieht die früheren Nachrichten wieder, wie sie waren.',
    pruneUndone: 'Rückgängig gemacht. Der Assistent sieht diese Ausgaben wieder.',
    takenBack: 'Das wurde rückgängig gemacht: Der Assistent sieht die ursprünglichen Nachrichten.',
    undoHint:
      'Wenn Sie das rückgängig machen, sieht der Assistent statt dieser Zusammenfassung wieder die ursprünglichen Nachrichten.',
    cannotUndo: 'Eine neuere Zusammenfassung baut auf dieser auf. Machen Sie zuerst jene rückgängig.',
    cannotUndoNow: 'Sie können das rückgängig machen, sobald die laufende Zusammenfassung fertig ist.',
    detailsTitle: 'Was behalten wurde',
    detailsLoading: 'Details werden geladen …',
    detailsFailed: 'Die Details konnten nicht geladen werden.',
    figuresTitle: 'Details',
    figures: {
      tokens: 'Token',
      messages: 'Zusammengefasste Nachrichten',
      duration: 'Dauer',
      writer: 'Geschrieben',
      strategy: 'Strategie',
      reason: 'Grund',
    },
    byModel: (model) => `von ${model}`,
    withoutModel: 'ohne Modell',
    userWords: 'Ihre Worte, wie Sie sie geschrieben haben',
    ledger: 'Was genau getan wurde',
    kept: (count) => `${messages(count)} unverändert gelassen`,
    roles: { user: 'Sie', assistant: 'Assistent', tool: 'Tool' },
    showAll: 'Alles anzeigen',
    summary: 'Die Zusammenfassung, wie der Assistent sie liest',
    more: (count) => `${number.format(count)} weitere anzeigen`,
    done: 'Ältere Nachrichten zusammengefasst. Nichts gelöscht.',
    cleared: (before, after) => `Alte Ergebnisse beiseitegelegt: ${fromTo(before, after)}`,
    failed: 'Die Unterhaltung konnte nicht zusammengefasst werden. Nichts ging verloren.',
    explain: 'Frühere Nachrichten bleiben oben lesbar; der Assistent arbeitet mit einer Zusammenfassung davon weiter.',
  },

  contextStrings: {
    tooMuch: 'Mehr, als hineinpasst: Ältere Nachrichten werden vor der nächsten Antwort zusammengefasst.',
    title: 'Gedächtnis',
    of: (current, usable) => `${number.format(current)} von ${number.format(usable)} nutzbaren Token`,
    window: (window, reserve) =>
      `Kontextfenster von ${number.format(window)}, davon ${number.format(reserve)} für die Antwort reserviert`,
    estimated: 'Geschätzt',
    reported: 'Vom Modell gemeldet',
    rounds: (count) => `${count === 1 ? 'Einmal' : `${number.format(count)}-mal`} zusammengefasst`,
    pruned: (outputs, freed) =>
      `${plural(outputs, 'altes Ergebnis', 'alte Ergebnisse')} beiseitegelegt, ${tokens(freed)} freigegeben`,
    compact: 'Platz schaffen',
    compacting: 'Wird zusammengefasst …',
    nothing: 'Es gibt noch nichts zusammenzufassen.',
    compactFailed: (reason) => `Zusammenfassen nicht möglich: ${reason}`,
    explain: 'Wenn es sich füllt, werden ältere Nachrichten zusammengefasst. Nichts wird gelöscht.',
    cost: 'Kosten bisher',
    cached: 'Aus dem Cache gelesen',
    cachedHint: 'Teil der letzten Anfrage, den der Anbieter im Cache hatte und günstiger berechnet.',
    unknownValue: 'unbekannt',
    details: 'Details',
    parts: { ...contextKinds, user: 'Ihre Nachrichten' },
  },

  preferenceStrings: {
    title: 'Im Gedächtnis behalten',
    explain: 'Worum Sie in dieser Unterhaltung gebeten haben, in Ihren Worten. Es übersteht jede Zusammenfassung.',
    letGo: 'Vergessen',
    letGoOf: (quote) => `Vergessen: ${quote}`,
    gone: 'Vergessen. Der Assistent hält sich nicht mehr daran.',
    undo: 'Rückgängig machen',
  },
  helpStrings: {
    title: 'Hilfe',
    pages: 'Seiten',
    all: 'Alle Hilfeseiten',
    about: (title) => `Hilfe: ${title}`,
    shell: { nav: 'Hilfe', home: 'Throughline, Hilfe', skip: 'Zum Text springen', back: 'Zurück zum Assistenten' },
  },

  toolTitleStrings: {
    list_content: (type, total) =>
      called(
        total === null ? some(type) : type === 'post' ? plural(total, 'Beitrag', 'Beiträge') : pages(total),
        'auflisten',
        'aufgelistet',
      ),
    get_content: (subject, several) =>
      called(
        several === null ? titled(subject, 'Eintrag') : plural(several, 'Eintrag', 'Einträge'),
        'lesen',
        'gelesen',
      ),
    search_content: (type, query, found) =>
      called(`${type === null ? 'Website' : some(type)}${forQuery(query)}`, 'durchsuchen', 'durchsucht', hits(found)),
    read_messages: (total, query) =>
      called(
        `${total === null ? 'Nachrichten' : messages(total)} von Besuchern${query === null ? '' : ` mit „${query}“`}`,
        'lesen',
        'gelesen',
      ),
    create_content: (type, subject) =>
      called(`${type === 'post' ? 'Beitrag' : 'Seite'} ${titled(subject, '…')}`, 'anlegen', 'angelegt'),
    update_content: (fields, subject) =>
      called(`${fields || 'Details'} von ${titled(subject, 'einem Eintrag')}`, 'ändern', 'geändert'),
    delete_content: (subject) => called(titled(subject, 'Eintrag'), 'löschen', 'gelöscht'),
    publish_content: (subject) => called(titled(subject, 'Eintrag'), 'veröffentlichen', 'veröffentlicht'),
    planned: (subject) =>
      called(`Zeitpunkt der Veröffentlichung von ${titled(subject, 'einem Eintrag')}`, 'ändern', 'geändert'),
    unpublish_content: (subject) => called(titled(subject, 'Eintrag'), 'offline nehmen', 'offline genommen'),
    add_section: (type, subject) =>
      called(
        `${type === null ? 'Abschnitt' : `Abschnitt „${sectionNamed(type)}“`} zu ${titled(subject, 'einer Seite')}`,
        'hinzufügen',
        'hinzugefügt',
      ),
    update_section: (fields, subject) => (tense) =>
      tense === 'done'
        ? called(`${fields || 'Abschnitt'} auf ${titled(subject, 'einer Seite')}`, '', 'geändert')(tense)
        : called(fields || 'Abschnitt', 'ändern', '')(tense),
    look_for_text: (find, places) =>
      called(`nach „${find}“`, 'suchen', 'gesucht', places === null ? '' : `: ${plural(places, 'Stelle', 'Stellen')}`),
    edit_text: (find, by, places, drafts) => {
      const where = [
        ...(places === null ? [] : [plural(places, 'Stelle', 'Stellen')]),
        ...(places === null || drafts === null ? [] : [plural(drafts, 'Entwurf', 'Entwürfe')]),
      ];
      return called(
        `„${find}“ durch „${by}“`,
        'ersetzen',
        'ersetzt',
        where.length === 0 ? '' : `: ${where.join(', ')}`,
      );
    },
    edit_items: (op, item) => {
      const what = item === null ? 'Eintrag einer Liste' : `Eintrag „${item}“`;
      if (op === 'add') return called(what, 'hinzufügen', 'hinzugefügt');
      if (op === 'move') return called(what, 'verschieben', 'verschoben');
      return op === 'remove' ? called(what, 'entfernen', 'entfernt') : called(what, 'ändern', 'geändert');
    },
    move_section: (subject, place) => (tense) =>
      tense === 'done'
        ? `Abschnitt von ${titled(subject, 'einer Seite')}${place === null ? '' : ` auf Platz ${number.format(place)}`} verschoben`
        : 'Abschnitt verschieben',
    remove_section: (subject) => (tense) =>
      tense === 'done' ? `Abschnitt von ${titled(subject, 'einer Seite')} entfernt` : 'Abschnitt entfernen',
    describe_sections: () => called('Abschnittsarten', 'nachschlagen', 'nachgeschlagen'),
    get_navigation: () => called('Menü', 'lesen', 'gelesen'),
    set_navigation: (items) =>
      called('Menü', 'ändern', 'geändert', items === null ? '' : `: ${plural(items, 'Menüpunkt', 'Menüpunkte')}`),
    get_settings: () => called('Website-Einstellungen', 'lesen', 'gelesen'),
    set_settings: (fields) => called('Website-Einstellungen', 'ändern', 'geändert', fields === '' ? '' : `: ${fields}`),
    list_media: (query, total) => (tense) =>
      tense === 'done'
        ? `Bilder durchgesehen: ${total === null ? 'keine' : pictures(total)}`
        : `Bilder${forQuery(query)} durchsehen`,
    add_media: (name) => called(`Bild ${name ?? ''}`.trim(), 'hinzufügen', 'hinzugefügt'),
    replace_media: (name) => (tense) =>
      tense === 'done'
        ? `Bild ${name === null ? '' : `${name} `}ersetzt`
        : `Bild durch ${name ?? 'ein anderes'} ersetzen`,
    update_media: (fields, name) => called(`${fields || 'Details'} von ${name ?? 'einem Bild'}`, 'ändern', 'geändert'),
    look_at_picture: (name) => called(name ?? 'Bild', 'ansehen', 'angesehen'),
    remember_instruction: (text) =>
      called('als dauerhafte Anweisung dieser Website', 'merken', 'gemerkt', `: „${text}“`),
    keep_in_mind: (text) => called('im Gedächtnis', 'behalten', 'behalten', `: „${text}“`),
    let_go: () => called('Wunsch', 'vergessen', 'vergessen'),
    list_revisions: (count) => called(count === null ? 'Änderungen' : changes(count), 'nachschlagen', 'nachgeschlagen'),
    undo: () => called('Änderung', 'rückgängig machen', 'rückgängig gemacht'),
    find_tools: (query, found) =>
      called(`Tools${forQuery(query)}`, 'durchsuchen', 'durchsucht', found === null ? '' : `: ${tools(found)}`),
    load_tools: (loaded) => called(loaded || 'Tools', 'laden', 'geladen'),
    search_history: (query, found) =>
      called(`Unterhaltung${forQuery(query)}`, 'durchsuchen', 'durchsucht', hits(found)),
    read_on: () => called('in dieser Unterhaltung', 'weiterlesen', 'weitergelesen'),
    recall_output: () => called('früheres Ergebnis', 'abrufen', 'abgerufen'),
    ask_user: () => called('Rückfrage', 'stellen', 'gestellt'),
  },

  renderMessage: messageRenderer('de-DE', german.server),
  served: {
    and: ' und ',
    names,
    refusals: {
      'There is no site that you may work on. Ask an administrator.':
        'Es gibt keine Website, an der Sie arbeiten dürfen. Fragen Sie einen Administrator.',
      '"{title}" is in the trash: restore it first.':
        '„{title}“ liegt im Papierkorb: Stellen Sie es zuerst wieder her.',
      'More than {n} {text} a minute. Try again a little later.':
        'Das waren zu viele Versuche in einer Minute. Versuchen Sie es etwas später noch einmal.',
      'The name {text} cannot be found.': 'Der Name {text} ist nicht zu finden.',
      'The entry has more markup than one page can show. Split it into several pages, or take out markup that does nothing.':
        'Die Seite hat mehr Formatierungen, als eine Seite zeigen kann. Teilen Sie sie auf oder entfernen Sie wirkungslose Formatierungen.',
      '{n} messages already wait in this conversation. Wait until some have been answered.':
        'In dieser Unterhaltung warten bereits {n} Nachrichten. Warten Sie, bis einige beantwortet sind.',
      'A turn or completion is running already. Wait until one has ended, or cancel one.':
        'Es läuft bereits ein Auftrag. Warten Sie auf sein Ende oder brechen Sie ihn ab.',
      '{n} turns and completions are running already. Wait until one has ended, or cancel one.':
        'Es laufen bereits {n} Aufträge. Warten Sie, bis einer beendet ist, oder brechen Sie einen ab.',
      'No configured provider serves the model "{text}".':
        'Kein eingerichteter Anbieter bietet das Modell „{text}“ an.',
      'The server is stopping. Try again when it is back.':
        'Der Server wird gerade beendet. Versuchen Sie es, wenn er wieder da ist.',
      'The database is busy. Nothing was written. Try again in a moment.':
        'Die Datenbank ist beschäftigt. Nichts wurde geschrieben. Versuchen Sie es gleich noch einmal.',
      'The database server was lost while it stored this. It may or may not be stored: look before you try again.':
        'Die Verbindung zum Datenbankserver brach beim Speichern ab. Vielleicht ist es gespeichert, vielleicht nicht: Sehen Sie nach, bevor Sie es noch einmal versuchen.',
    },
    sentences: {
      // Context windows that are not known.
      '{text} takes {n} tokens, not {n2}: its server refused a longer request and named this limit. Load the model with a larger context, or set another window in the settings (modelWindowOverrides).':
        '{text} nimmt {n} Token an, nicht {n2}: sein Server hat eine längere Anfrage abgelehnt und diese Grenze genannt. Laden Sie das Modell mit einem größeren Kontext oder tragen Sie in den Einstellungen ein anderes Fenster ein (modelWindowOverrides).',
      '{text} takes {n} tokens, not {n2}: its server has read only this much of a longer request. Load the model with a larger context, or set another window in the settings (modelWindowOverrides).':
        '{text} nimmt {n} Token an, nicht {n2}: sein Server hat von einer längeren Anfrage nur so viel gelesen. Laden Sie das Modell mit einem größeren Kontext oder tragen Sie in den Einstellungen ein anderes Fenster ein (modelWindowOverrides).',
      '{text} takes {n} tokens, not {n2}: its server ended several answers at this length. Load the model with a larger context, or set another window in the settings (modelWindowOverrides).':
        '{text} nimmt {n} Token an, nicht {n2}: sein Server hat mehrere Antworten bei dieser Länge beendet. Laden Sie das Modell mit einem größeren Kontext oder tragen Sie in den Einstellungen ein anderes Fenster ein (modelWindowOverrides).',
      'The context window of {text} is not known, so {n} tokens are assumed. Set the right number in the settings (modelWindowOverrides).':
        'Das Kontextfenster von {text} ist nicht bekannt, daher werden {n} Token angenommen. Tragen Sie die richtige Zahl in den Einstellungen ein (modelWindowOverrides).',
      'The server has not loaded {text} yet, so its context window is not known and {n} tokens are assumed. The right number is read once it is loaded, or set it in the settings (modelWindowOverrides).':
        'Der Server hat {text} noch nicht geladen, daher ist das Kontextfenster nicht bekannt, und es werden {n} Token angenommen. Die richtige Zahl wird gelesen, sobald es geladen ist; oder tragen Sie sie in den Einstellungen ein (modelWindowOverrides).',
      // Summaries of changes.
      'Renamed "{title}" to "{title2}"': '„{title}“ in „{title2}“ umbenannt',
      'Changed the address of "{title}" to {text}': 'Adresse von „{title}“ in {text} geändert',
      'Left "{title}" as it was': '„{title}“ unverändert gelassen',
      'Created the page "{title}"': 'Seite „{title}“ angelegt',
      'Created the page "{title}" with 1 section': 'Seite „{title}“ mit 1 Abschnitt angelegt',
      'Created the page "{title}" with {n} sections': 'Seite „{title}“ mit {n} Abschnitten angelegt',
      'Created the post "{title}"': 'Beitrag „{title}“ angelegt',
      'Created the post "{title}" with 1 section': 'Beitrag „{title}“ mit 1 Abschnitt angelegt',
      'Created the post "{title}" with {n} sections': 'Beitrag „{title}“ mit {n} Abschnitten angelegt',
      'Restored "{title}" to revision {n} (1 change)': '„{title}“ auf Version {n} zurückgesetzt (1 Änderung)',
      'Restored "{title}" to revision {n} ({n2} changes)': '„{title}“ auf Version {n} zurückgesetzt ({n2} Änderungen)',
      'Left the menu as it was': 'Menü unverändert gelassen',
      'Replaced "{text}" with "{text2}" in "{title}" ({said})':
        '„{text}“ durch „{text2}“ ersetzt in „{title}“ ({said})',
      'Removed "{text}" from "{title}" ({said})': '„{text}“ entfernt aus „{title}“ ({said})',
      '1 place': '1 Stelle',
      '{n} places': '{n} Stellen',
      '{said}; and in 1 other draft': '{said}; und in 1 weiteren Entwurf',
      '{said}; and in {n} other drafts': '{said}; und in {n} weiteren Entwürfen',
      'Left the site settings as they were': 'Website-Einstellungen unverändert gelassen',
      'Published "{title}"': '„{title}“ veröffentlicht',
      'Unpublished "{title}"': '„{title}“ offline genommen',
      'Planned the publication of "{title}" for {text}': 'Veröffentlichung von „{title}“ geplant für {text}',
      'Took back the planned publication of "{title}"': 'Geplante Veröffentlichung von „{title}“ aufgehoben',
      'Discarded the unpublished changes of "{title}"': 'Unveröffentlichte Änderungen an „{title}“ verworfen',
      'Deleted the page "{title}"': 'Seite „{title}“ gelöscht',
      'Deleted the post "{title}"': 'Beitrag „{title}“ gelöscht',
      'Deleted the picture "{title}"': 'Bild „{title}“ gelöscht',
      'Deleted the page "{title}", which was not there after: {text}':
        'Seite „{title}“ gelöscht, die es nicht gab nach: {text}',
      'Deleted the post "{title}", which was not there after: {text}':
        'Beitrag „{title}“ gelöscht, den es nicht gab nach: {text}',
      'Restored the page "{title}" from the trash': 'Seite „{title}“ aus dem Papierkorb wiederhergestellt',
      'Restored the post "{title}" from the trash': 'Beitrag „{title}“ aus dem Papierkorb wiederhergestellt',
      'Added the picture "{title}"': 'Bild „{title}“ hinzugefügt',
      'Replaced the picture "{title}"': 'Bild „{title}“ ersetzt',
      'Restored the picture "{title}"': 'Bild „{title}“ wiederhergestellt',
      'Changed the {names} of the picture "{title}"': '{names} des Bildes „{title}“ geändert',
      'Brought the menu back to how it was after: {text}': 'Menü auf früheren Stand gebracht, nach: {text}',
      'Brought the site settings back to how it was after: {text}':
        'Website-Einstellungen auf früheren Stand gebracht, nach: {text}',
      'Brought the standing instructions back to how it was after: {text}':
        'Dauerhafte Anweisungen auf früheren Stand gebracht, nach: {text}',
      'Brought the picture "{title}" back to how it was after: {text}':
        'Bild „{title}“ auf früheren Stand gebracht, nach: {text}',
      'Brought "{title}" back to how it was after: {text}': '„{title}“ auf früheren Stand gebracht, nach: {text}',
      'Added the rule "{text}"': 'Regel „{text}“ hinzugefügt',
      'Removed the rule "{text}"': 'Regel „{text}“ entfernt',
      'Left the standing instructions as they were': 'Dauerhafte Anweisungen unverändert gelassen',
      'Changed the standing instructions: {names}': 'Dauerhafte Anweisungen geändert: {names}',
      'Undid: {said}': 'Rückgängig gemacht: {said}',
      'Brought back: {said}': 'Wiederholt: {said}',
      '{said} (the time it was planned for has passed)': '{said} (der geplante Zeitpunkt ist vorbei)',
      'Saved in WordPress': 'In WordPress gespeichert',
      'Changed the site settings in WordPress': 'Website-Einstellungen in WordPress geändert',
      'Changed the menu to 1 item (in WordPress)': 'Menü auf 1 Menüpunkt geändert (in WordPress)',
      'Changed the menu to {n} items (in WordPress)': 'Menü auf {n} Menüpunkte geändert (in WordPress)',
      'Found the page "{title}" in the trash of WordPress': 'Seite „{title}“ im Papierkorb von WordPress gefunden',
      'Found the post "{title}" in the trash of WordPress': 'Beitrag „{title}“ im Papierkorb von WordPress gefunden',
      'Restored the page "{title}" in WordPress': 'Seite „{title}“ in WordPress wiederhergestellt',
      'Restored the post "{title}" in WordPress': 'Beitrag „{title}“ in WordPress wiederhergestellt',
      'Published the page "{title}" in WordPress': 'Seite „{title}“ in WordPress veröffentlicht',
      'Published the post "{title}" in WordPress': 'Beitrag „{title}“ in WordPress veröffentlicht',
      'Unpublished the page "{title}" in WordPress': 'Seite „{title}“ in WordPress offline genommen',
      'Unpublished the post "{title}" in WordPress': 'Beitrag „{title}“ in WordPress offline genommen',
      'Planned the publication of the page "{title}" in WordPress':
        'Veröffentlichung der Seite „{title}“ in WordPress geplant',
      'Planned the publication of the post "{title}" in WordPress':
        'Veröffentlichung des Beitrags „{title}“ in WordPress geplant',
      'Changed what is published of "{title}"': 'Veröffentlichten Stand von „{title}“ geändert',
      '{said} in WordPress': '{said} in WordPress',
      '{said} (in WordPress)': '{said} (in WordPress)',
      'Changed "{title}": {phrases}': '„{title}“: {phrases}',
      'Changed the {values}': '{values}',
      '{phrases} in "{title}"': '„{title}“: {phrases}',
      '{phrases} of "{title}"': '„{title}“: {phrases}',
      '{phrases} to "{title}"': '„{title}“: {phrases}',
      '{phrases} from "{title}"': '„{title}“: {phrases}',
      '{phrases}': '{phrases}',

      'Cleared 1 old result ({n} → {n2} tokens)': '1 altes Ergebnis beiseitegelegt ({n} → {n2} Token)',
      'Cleared {n} old results ({n2} → {n3} tokens)': '{n} alte Ergebnisse beiseitegelegt ({n2} → {n3} Token)',
      'Summarized 1 message ({n} → {n2} tokens)': '1 Nachricht zusammengefasst ({n} → {n2} Token)',
      'Summarized {n} messages ({n2} → {n3} tokens)': '{n} Nachrichten zusammengefasst ({n2} → {n3} Token)',

      // Notes of the content layer.
      '"{title}" is the home page: while it is off the site, visitors find nothing at /.':
        '„{title}“ ist die Startseite: Solange sie offline ist, finden Besucher unter / nichts.',
      '"{title}" is the home page: while it is off the site, visitors see "{title2}" at /.':
        '„{title}“ ist die Startseite: Solange sie offline ist, sehen Besucher unter / „{title2}“.',
      'It stays the home page: the setting homeSlug is "{text}" now.':
        'Es bleibt die Startseite: Die Einstellung homeSlug ist jetzt „{text}“.',
      // What is checked before it is published.
      'The redirect from {path} to {path2} leads visitors nowhere: there is no such page.':
        'Die Weiterleitung von {path} nach {path2} führt Besucher ins Leere: Diese Seite gibt es nicht.',
      'The redirect from {path} to {path2} leads visitors nowhere: "{title}" is a draft.':
        'Die Weiterleitung von {path} nach {path2} führt Besucher ins Leere: „{title}“ ist ein Entwurf.',
      '{text} ({path}) leads visitors nowhere: there is no such page.':
        '{text} ({path}) führt Besucher ins Leere: Diese Seite gibt es nicht.',
      '{text} ({path}) leads visitors nowhere: "{title}" is a draft.':
        '{text} ({path}) führt Besucher ins Leere: „{title}“ ist ein Entwurf.',
      'Somebody changed the published text in WordPress {text}: publishing this draft replaces their words.':
        'In WordPress hat jemand den veröffentlichten Text geändert ({text}). Wird dieser Entwurf veröffentlicht, ersetzt er diese Worte.',
      'The site removes {text} from this HTML: visitors do not see it. Use a link instead.':
        'Die Website entfernt {text} aus diesem HTML: Besucher sehen es nicht. Verwenden Sie stattdessen einen Link.',

      'Basic assistant': 'Basis-Assistent',
      Menu: 'Menü',
      'Site settings': 'Website-Einstellungen',
      'Standing instructions': 'Dauerhafte Anweisungen',

      // What a WordPress site can do.
      '{text} cannot publish: publishing fails there.':
        '{text} darf nicht veröffentlichen: Das Veröffentlichen schlägt dort fehl.',
      '{text} cannot publish pages: publishing one fails there.':
        '{text} darf keine Seiten veröffentlichen: Das Veröffentlichen schlägt dort fehl.',
      '{text} cannot publish posts: publishing one fails there.':
        '{text} darf keine Beiträge veröffentlichen: Das Veröffentlichen schlägt dort fehl.',
      '{text} cannot change pages of other users.': '{text} darf Seiten anderer Benutzer nicht ändern.',
      '{text} cannot upload pictures.': '{text} darf keine Bilder hochladen.',
      '{text} cannot change settings: site title, tagline and home page stay as they are.':
        '{text} darf keine Einstellungen ändern: Website-Titel, Untertitel und Startseite bleiben, wie sie sind.',
      '{text} cannot change the menu: that needs the right edit_theme_options and WordPress 5.9.':
        '{text} darf das Menü nicht ändern: Dazu braucht es das Recht edit_theme_options und WordPress 5.9.',
      'WordPress removes scripts, frames and forms from what {text} saves, and always filters the whole content: what holds any of them cannot be changed from here.':
        'WordPress entfernt Skripte, Frames und Formulare aus dem, was {text} speichert, und filtert immer den ganzen Inhalt: Was etwas davon enthält, lässt sich von hier aus nicht ändern.',
      'WordPress says that application passwords are off, although it takes this one.':
        'WordPress meldet, dass Anwendungspasswörter ausgeschaltet sind, nimmt dieses aber an.',
      'The content of pages made with {text} can be read here, and is changed in {text2} only.':
        'Der Inhalt von Seiten, die mit {text} erstellt sind, lässt sich hier lesen; geändert wird er nur in {text2}.',
      'This site has {text}: its pages look like any others here. What is changed of them here, visitors do not see.':
        'Diese Website hat {text}: Dessen Seiten sehen hier aus wie andere. Was hier daran geändert wird, sehen Besucher nicht.',
      'Who has a page open in WordPress’s editor is not told, and drafts are not shown with its theme: a small plugin for WordPress does both, see the guide.':
        'Ob jemand eine Seite im Editor von WordPress offen hat, ist hier nicht zu sehen, und Entwürfe erscheinen nicht mit seinem Theme: Für beides gibt es ein kleines Plugin für WordPress, siehe die Anleitung.',
      'The connection is not encrypted: anybody on the way can read the password. Use https.':
        'Die Verbindung ist nicht verschlüsselt: Unterwegs kann jeder das Passwort lesen. Verwenden Sie https.',
      'SEO details have no place in WordPress: they are only kept here.':
        'SEO-Angaben haben in WordPress keinen Platz: Sie werden nur hier gespeichert.',
      '{text} does not show its fields: SEO titles and descriptions cannot be set from here. The companion plugin shows them.':
        '{text} zeigt seine Felder nicht: SEO-Titel und -Beschreibungen lassen sich von hier aus nicht setzen. Das Begleit-Plugin zeigt sie.',
      "Author names and a page's excerpt and tags have no place in WordPress: they are only kept here.":
        'Autorennamen sowie Kurzbeschreibung und Schlagwörter einer Seite haben in WordPress keinen Platz: Sie werden nur hier gespeichert.',
      'Accent colour, footer text and contact address have no place in WordPress: they are only kept here.':
        'Akzentfarbe, Fußzeile und Kontaktadresse haben in WordPress keinen Platz: Sie werden nur hier gespeichert.',

      // Units and ranges of settings.
      '{n} to {n2}': '{n} bis {n2}',
      '{n} to {n2} each': 'je {n} bis {n2}',
      '{n} to {n2} characters': '{n} bis {n2} Zeichen',
      'up to {n}': 'bis zu {n}',
      tokens: 'Token',
      'tokens by model id': 'Token je Modell-ID',
      'model id': 'Modell-ID',
      'US dollars': 'US-Dollar',
      'model calls per turn': 'Modellaufrufe pro Auftrag',
      milliseconds: 'Millisekunden',
      'of the window': 'des Kontextfensters',
      turns: 'Aufträge',
      'by tool name': 'je Tool',
      things: 'Elemente',
      characters: 'Zeichen',
      'characters by tool name': 'Zeichen je Tool',
      origins: 'Adressen',
    },
    lists: {
      'the menu': 'Menü',
      'the section': 'Abschnitt',
      'the {names} section': 'Abschnitt „{names}“',
      '{list} below "{title}"': '{list} unter „{title}“',
    },
    phrases: {
      'added an {names} section': 'Abschnitt „{names}“ hinzugefügt',
      'added a {names} section': 'Abschnitt „{names}“ hinzugefügt',
      'changed the {names} of the {names2} section': '{names} im Abschnitt „{names2}“ geändert',
      'changed the {names} of the section': '{names} im Abschnitt geändert',
      'moved the {names} section to position {n}': 'Abschnitt „{names}“ auf Position {n} verschoben',
      'moved the section to position {n}': 'Abschnitt auf Position {n} verschoben',
      'removed the {names} section': 'Abschnitt „{names}“ entfernt',
      'removed the section': 'Abschnitt entfernt',
      'added "{text}" to {list}': '{list}: „{text}“ hinzugefügt',
      'removed "{text}" from {list}': '{list}: „{text}“ entfernt',
      'moved "{text}" to place {n} in {list}': '{list}: „{text}“ auf Platz {n} verschoben',
      'renamed "{text}" to "{text2}" in {list}': '{list}: „{text}“ in „{text2}“ umbenannt',
      'changed "{text}" to "{text2}" in {list}': '{list}: „{text}“ in „{text2}“ geändert',
      'changed the {names} of "{text}" in {list}': '{list}: {names} von „{text}“ geändert',
      '{n} more in {list}': '{list}: {n} weitere',
      'changed the title to "{text}"': 'Titel in „{text}“ geändert',
      'changed the address to {text}': 'Adresse in {text} geändert',
      'changed the {names}': '{names} geändert',
      'removed the {names}': '{names} entfernt',
      '{n} more': '{n} weitere',
    },
    values: {
      '{names} from "{text}" to ""': '{names} „{text}“ entfernt',
      '{names} from "{text}" to "{text2}"': '{names} von „{text}“ in „{text2}“ geändert',
      '{names} to "{text}"': '{names} auf „{text}“ gesetzt',
    },
    settings: {
      defaultModel:
        'Modell für Unterhaltungen, für die keines gewählt ist; `__auto__` ist das empfohlene Modell der verbundenen Dienste, sonst der Basis-Assistent.',
      compactionModel: 'Modell, das die Zusammenfassungen schreibt; `__same__` ist das Modell der Unterhaltung.',
      pictureModel:
        'Modell, das für den Assistenten Bilder ansieht; er selbst bekommt dann keine. `__same__` ist das Modell der Unterhaltung.',
      pruningAgentModel:
        'Das Modell, das bei der Auswahl durch ein Modell gefragt wird; `__same__` ist das Modell der Unterhaltung.',
      modelWindowOverrides:
        'Das Kontextfenster eines Modells, dessen veröffentlichter Wert unbekannt oder nicht gewünscht ist. Ollama lädt seine Modelle damit.',
      shareLocalModels:
        'Auch andere Programme nutzen die Modelle desselben Ollama: Es bekommt keine Kontextlänge genannt, damit es ein Modell nicht für jedes Programm neu lädt. Als Kontextfenster gilt dann, was Ollama nach einer Anfrage meldet.',
      localParallelRequests:
        'Anfragen, die ein eigener Modellserver zur gleichen Zeit bekommt. 0: eine bei llama.cpp und llama-cpp-python, unbegrenzt bei anderen, die selbst eine Warteschlange haben.',
      outputReserve:
        'Bleibt für die Antwort frei; höchstens ein Viertel des Kontextfensters und die maximale Ausgabe des Modells.',
      maxContextTokens:
        'So viel vom Kontextfenster wird höchstens genutzt: Eine längere Anfrage kostet mehr und wird schlechter gelesen. Ein Modell mit kleinerem Fenster nutzt es ganz.',
      monthBudget:
        'Was Modelle in einem Kalendermonat (UTC) zusammen kosten dürfen. Bei 80 % weist der Chat darauf hin, bei 100 % wird kein kostenpflichtiges Modell gefragt. 0: keine Grenze.',
      personBudget:
        'Was Modelle für eine Person in einem Kalendermonat (UTC) kosten dürfen. Bei 80 % weist der Chat darauf hin, bei 100 % wird kein kostenpflichtiges Modell gefragt. 0: keine Grenze.',
      conversationBudget:
        'Was Modelle in einer Unterhaltung kosten dürfen. Bei 80 % weist der Chat darauf hin, bei 100 % wird kein kostenpflichtiges Modell gefragt. 0: keine Grenze.',
      maxSteps:
        'Ein Auftrag, der mehr braucht, wird beendet, nachdem der Assistent gesagt hat, was erledigt ist und was noch fehlt.',
      turnTimeLimitMs:
        'Ein Auftrag, der länger dauert, wird beendet, nachdem der Assistent gesagt hat, was erledigt ist und was noch fehlt.',
      strategy:
        'Entscheidet, wann und wie verdichtet wird; für eine einzelne Verdichtung lässt sich eine andere wählen.',
      autoCompact:
        'Verdichten, ohne zu fragen. Ist es aus, wird nur noch nach einem Überlauf-Fehler des Anbieters verdichtet.',
      backgroundSummaries: 'Die nächste Zusammenfassung vorbereiten, während Sie lesen.',
      proactiveThreshold: 'Darüber verdichtet die Strategie „Frühe Zusammenfassung“.',
      middleRemovalThreshold: 'Darüber verdichtet die Strategie „Mitte entfernen“.',
      pruningAgentThreshold: 'Darüber verdichtet die Strategie „Auswahl durch ein Modell“.',
      pruneProtect: 'Die neuesten Tool-Ausgaben, die nie geleert werden; höchstens ein Drittel des Kontextfensters.',
      pruneMinimum:
        'So viel muss das Leeren alter Tool-Ausgaben sparen, damit es sich lohnt; höchstens ein Sechstel des Kontextfensters.',
      minTurnsToKeep:
        'Neueste Aufträge, deren Tool-Ausgaben nie geleert werden und die eine Verdichtung behält, wenn sie passen.',
      toolPolicies:
        'Ob ein Tool von selbst läuft, nur mit Ihrer Zustimmung oder gar nicht. Ohne eigene Angabe fragen Tools, die veröffentlichen, offline nehmen, löschen oder Menü und Einstellungen ändern; die anderen laufen.',
      toolBulkLimit:
        'Aufrufe, mit denen ein Auftrag ohne Rückfrage mehr verschiedene Elemente ändern würde, fragen zuerst; ausgenommen Tools, die nach toolPolicies immer laufen.',
      toolExecution:
        'Wie die Tool-Aufrufe eines Schritts laufen. Gleichzeitig: Die nur lesenden laufen gemeinsam, ein schreibender allein.',
      toolTimeoutMs: 'Ein Tool, das länger braucht, wird gestoppt; sein Ergebnis sagt das.',
      toolMaxOutputChars: 'Eine Tool-Ausgabe, für Tools ohne eigene Grenze.',
      toolOutputChars:
        'Eine Ausgabe eines hier genannten Tools, anstelle seiner eigenen Grenze und von toolMaxOutputChars.',
      toolOutputLimit: 'Alle Tool-Ergebnisse eines Schritts zusammen.',
      toolDefinitionsLimit:
        'Definitionen der Tools aller Tool-Server zusammen, höchstens ein Zehntel dessen, was ein Modell nutzen kann; darüber werden sie bei Bedarf geladen.',
      siteAliases:
        'Weitere Adressen der veröffentlichten Website, zum Beispiel https://www.kiln.example: Von dort werden Besucher auf dieselbe Seite unter SITE_URL weitergeleitet.',
    },
    variables: {
      DATABASE_URL: 'Wo alles gespeichert wird: in einer eingebetteten Datenbankdatei oder auf einem libSQL-Server.',
      DATABASE_AUTH_TOKEN: 'Token des libSQL-Servers; für eine Datei nicht nötig.',
      REDIS_URL:
        'Redis, das Streams und Ereignisse zwischen mehreren Instanzen auf einer Datenbank überträgt; eine Instanz braucht keines.',
      OPENROUTER_API_KEY: 'Schlüssel für Modelle von OpenRouter, genannt vendor/model.',
      OPENROUTER_BASE_URL: 'Adresse von OpenRouter oder eines Servers, der dessen Protokoll spricht.',
      ANTHROPIC_API_KEY: 'Schlüssel für die Schnittstelle von Anthropic: Modelle namens anthropic/model.',
      ANTHROPIC_BASE_URL: 'Adresse von Anthropic oder eines Servers, der dessen Protokoll spricht.',
      OPENAI_API_KEY: 'Schlüssel für die Schnittstelle von OpenAI: Modelle namens openai/model.',
      OPENAI_BASE_URL: 'Adresse von OpenAI oder eines Servers, der dessen Responses-Protokoll spricht.',
      GOOGLE_GENERATIVE_AI_API_KEY: 'Schlüssel für Google AI Studio: Modelle namens google/model.',
      GOOGLE_GENERATIVE_AI_BASE_URL: 'Adresse von Google AI oder eines Servers, der dessen Protokoll spricht.',
      OPENAI_COMPATIBLE_BASE_URL:
        'Adresse eines OpenAI-kompatiblen Servers (LM Studio, Ollama, llama.cpp, vLLM); seine Modelle heißen local/model.',
      OPENAI_COMPATIBLE_API_KEY: 'Schlüssel für diesen Server, falls er einen verlangt.',
      FIRST_TOKEN_TIMEOUT:
        'Wie lange ein Modell bis zum Beginn seiner Antwort brauchen darf, in Sekunden; nicht gesetzt: 180, beim OpenAI-kompatiblen Server 600.',
      IDLE_TIMEOUT:
        'Wie lange ein Modell mitten in seiner Antwort schweigen darf, in Sekunden; nicht gesetzt: 120, beim OpenAI-kompatiblen Server 600.',
      PORT: 'Port des Webservers; 0 nimmt einen beliebigen freien.',
      ALLOWED_ORIGINS:
        'Weitere Adressen, deren Bilder der Assistent zeigt und deren Links er ohne Rückfrage öffnet, durch Kommas getrennt.',
      HOST: 'Adresse, an der der Webserver lauscht; eine andere als dieser Rechner nur mit AUTH_MODE=accounts.',
      AUTH_MODE:
        'Wer Throughline benutzen darf. local: nur dieser Rechner, ohne Anmeldung. accounts: wer angemeldet ist oder einen API-Schlüssel hat.',
      AUTH_SECRET:
        'Signiert die Cookies der Angemeldeten und verschlüsselt gespeicherte Geheimnisse; mindestens 32 zufällige Zeichen.',
      PUBLIC_URL: 'Wo Browser diesen Server erreichen: https://cms.example. Nötig für AUTH_MODE=accounts.',
      FORMER_AUTH_SECRET:
        'Frühere Werte von AUTH_SECRET, durch Kommas getrennt: Was sie signiert und verschlüsselt haben, gilt weiter und wird erneuert.',
      OIDC_ISSUER:
        'OpenID-Connect-Anbieter, über den man sich anmelden kann, mit seinem Issuer: https://login.example/realms/club.',
      OIDC_CLIENT_ID: 'ID dieses Servers bei diesem Anbieter.',
      OIDC_CLIENT_SECRET: 'Das Geheimnis dieses Servers dort.',
      OIDC_NAME: 'Wie die Anmeldeseite diesen Anbieter nennt; nicht gesetzt: der Name seines Hosts.',
      OIDC_NEW_PEOPLE:
        'Rolle für Personen, die dieser Anbieter einlässt und die noch kein Konto haben. off: Nur hinzugefügte Personen können sich anmelden.',
      SITE_URL:
        'Wo Besucher die veröffentlichte Website erreichen: https://kiln.example, ein anderer Host als der von PUBLIC_URL. Nicht gesetzt: unter /site.',
      TRUST_PROXY:
        'Ob ein eigener Proxy davor sagt, wer anfragt: Der letzten Adresse in X-Forwarded-For wird geglaubt.',
      SMTP_URL:
        'Mailserver für ausgehende E-Mails: smtps://name:password@mail.example (Port 465) oder smtp:// (587, STARTTLS). Nicht gesetzt: Es wird nichts gemailt.',
      MAIL_FROM: 'Absender dieser E-Mails, wie Empfänger ihn sehen: Club <post@club.example>.',
      REQUESTS_PER_MINUTE:
        'Wie viele Anfragen pro Minute ein Benutzer oder ein API-Schlüssel stellen darf; im lokalen Modus beliebig viele.',
      TURNS_PER_MINUTE:
        'Wie viele Aufträge, Completions, Zusammenfassungen und vorbereitete Unterhaltungen ein Benutzer oder ein API-Schlüssel pro Minute starten darf.',
      RUNNING_TURNS:
        'Wie viele Aufträge, Completions, Zusammenfassungen und vorbereitete Unterhaltungen eines Benutzers gleichzeitig laufen dürfen; Zusammenfassungen innerhalb eines Auftrags zählen nicht.',
      OPEN_STREAMS:
        'Wie viele Ereignis-Streams (Antworten und Ereignisse von Unterhaltungen) ein Benutzer auf jedem Server gleichzeitig offen haben darf; die seiner API-Schlüssel zählen zusammen, getrennt vom Browser.',
      PAGES_PER_MINUTE:
        'Wie viele Seiten pro Minute für eine Adresse erzeugt werden (bei IPv6 ein /64-Netz); im lokalen Modus ungezählt.',
      OTEL_EXPORTER_OTLP_ENDPOINT:
        'Wohin OpenTelemetry-Traces und -Metriken gesendet werden (OTLP über HTTP); nicht gesetzt: Es wird nichts gesammelt.',
      LOG_LEVEL: 'Ab welchem Schweregrad Logzeilen geschrieben werden.',
      OFFLINE_CHUNK_DELAY_MS: 'Pause zwischen zwei Stücken einer Antwort des Basis-Assistenten, in Millisekunden.',
      SHUTDOWN_LIMIT_MS:
        'Wie lange laufende Schritte weiterlaufen dürfen, wenn der Server anhalten soll, in Millisekunden.',
      TURN_LEASE_MS:
        'So lange nach dem letzten Lebenszeichen wird ein Auftrag abgeschlossen, dessen Server ausgefallen ist, in Millisekunden; auf jeder Instanz gleich.',
      TURN_HEARTBEAT_MS:
        'Wie oft ein Server meldet, dass seine Aufträge leben, in Millisekunden; höchstens ein Drittel von TURN_LEASE_MS.',
      MCP_STDIO:
        'Ob Programme als Tool-Server laufen dürfen. on: Jeder angemeldete Administrator kann hier jedes Programm ausführen. Nicht gesetzt: on bei AUTH_MODE=local, off bei accounts.',
      CONTEXT_WINDOW: 'Token: ersetzt das Kontextfenster jedes Modells (für kleine Rechner und Tests).',
    },
    tools: {
      list_content: { name: 'Inhalte auflisten', does: 'Listet Seiten oder Beiträge auf.' },
      get_content: { name: 'Inhalte lesen', does: 'Liest den ganzen Entwurf von Seiten oder Beiträgen.' },
      search_content: {
        name: 'Inhalte durchsuchen',
        does: 'Sucht Wörter in Entwürfen oder einen genauen Wortlaut überall, auch in veröffentlichten Fassungen, Adressen, Menü und Einstellungen.',
      },
      create_content: { name: 'Inhalte anlegen', does: 'Legt den Entwurf einer Seite oder eines Beitrags an.' },
      update_content: { name: 'Details ändern', does: 'Ändert Details einer Seite oder eines Beitrags.' },
      delete_content: {
        name: 'Inhalte löschen',
        does: 'Verschiebt eine Seite, einen Beitrag oder ein Bild in den Papierkorb; das lässt sich rückgängig machen.',
      },
      publish_content: { name: 'Veröffentlichen', does: 'Veröffentlicht den Entwurf einer Seite oder eines Beitrags.' },
      unpublish_content: {
        name: 'Offline nehmen',
        does: 'Nimmt eine Seite oder einen Beitrag offline; der Entwurf bleibt.',
      },
      edit_text: {
        name: 'Text ersetzen',
        does: 'Ersetzt einen genauen Wortlaut in allen Entwürfen, mit einer einzigen Änderung.',
      },
      add_section: { name: 'Abschnitt hinzufügen', does: 'Fügt einer Seite einen Abschnitt hinzu.' },
      update_section: { name: 'Abschnitt ändern', does: 'Setzt Felder eines Abschnitts.' },
      edit_items: {
        name: 'Listen bearbeiten',
        does: 'Fügt einen Eintrag einer Liste hinzu, ändert, verschiebt oder entfernt ihn: FAQ, Stichpunkte, Galeriebilder, Formularfelder.',
      },
      move_section: { name: 'Abschnitt verschieben', does: 'Verschiebt einen Abschnitt auf seiner Seite.' },
      remove_section: { name: 'Abschnitt entfernen', does: 'Entfernt einen Abschnitt.' },
      describe_sections: { name: 'Abschnittsarten nachschlagen', does: 'Schlägt die Felder der Abschnittsarten nach.' },
      list_media: {
        name: 'Bilder auflisten',
        does: 'Listet Bilder der Mediathek auf und zeigt, wo sie verwendet werden.',
      },
      add_media: {
        name: 'Bild hinzufügen',
        does: 'Legt ein Bild aus diesem Chat in die Mediathek oder setzt es an die Stelle eines anderen.',
      },
      update_media: {
        name: 'Bild beschreiben',
        does: 'Beschreibt, benennt oder verschlagwortet ein Bild der Mediathek.',
      },
      look_at_picture: { name: 'Bild ansehen', does: 'Lässt ein Modell ein Bild ansehen.' },
      get_navigation: { name: 'Menü lesen', does: 'Liest das Menü.' },
      set_navigation: { name: 'Menü ändern', does: 'Ändert das Menü, sofort sichtbar.' },
      get_settings: { name: 'Website-Einstellungen lesen', does: 'Liest die Einstellungen der Website.' },
      set_settings: {
        name: 'Website-Einstellungen ändern',
        does: 'Ändert die Einstellungen der Website; sie gelten sofort.',
      },
      remember_instruction: {
        name: 'Dauerhafte Anweisung merken',
        does: 'Merkt sich eine dauerhafte Anweisung für die ganze Website, wenn Sie zustimmen.',
      },
      keep_in_mind: {
        name: 'Wunsch behalten',
        does: 'Merkt sich einen dauerhaften Wunsch für diese Unterhaltung oder vergisst einen.',
      },
      list_revisions: {
        name: 'Änderungen nachschlagen',
        does: 'Zeigt die neuesten Änderungen und was sie geändert haben.',
      },
      undo: {
        name: 'Rückgängig machen',
        does: 'Macht eine Änderung, einen Auftrag oder die ganze Unterhaltung rückgängig.',
      },
      read_messages: { name: 'Nachrichten lesen', does: 'Liest, was Besucher über Formulare gesendet haben.' },
      ask_user: { name: 'Rückfrage', does: 'Stellt Ihnen eine Frage und wartet auf die Antwort.' },
      search_history: {
        name: 'Unterhaltung durchsuchen',
        does: 'Durchsucht diese Unterhaltung, auch was nicht mehr im Gedächtnis ist.',
      },
      recall_output: {
        name: 'Ergebnis abrufen',
        does: 'Liest vollständig, was in dieser Unterhaltung geleert oder gekürzt wurde.',
      },
      find_tools: { name: 'Tools suchen', does: 'Sucht Tools der Tool-Server.' },
      load_tools: { name: 'Tools laden', does: 'Lädt Tools der Tool-Server.' },
    },
  },
} satisfies Translation;
