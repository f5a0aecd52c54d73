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
        'Wie viele Anfragen pro Minute ein Benutzer oder ein API-Schlüssel stellen darf, außer an /v1; im lokalen Modus beliebig viele.',
      TURNS_PER_MINUTE:
        'Wie viele Aufträge, Zusammenfassungen und vorbereitete Unterhaltungen ein Benutzer oder ein API-Schlüssel pro Minute starten darf; Anfragen an /v1 zählen nicht.',
      MODEL_REQUESTS_PER_MINUTE:
        'Wie viele Anfragen an /v1 ein Benutzer oder ein API-Schlüssel stellen darf: so viele auf einmal, gleichmäßig in einer Minute wieder aufgefüllt; im lokalen Modus beliebig viele.',
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
  },
} satisfies Translation;
