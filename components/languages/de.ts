import german from '#messages/de.json' with { type: 'json' };
import { messageRenderer } from '#server/core/messages/render-message';
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

/** Every word of the interface in German. */
export const de = {
  renderMessage: messageRenderer('de-DE', german.server),
  served: {
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
    },
  },
} satisfies Translation;
