import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { readChatChunks } from '#components/api/chat-chunks.ts';
import { messagePageSchema } from '#server/core/conversation/messages';
import { answerWords, pageFor } from '#tests/deep/support/deep-world';
import { marksIn, marksInOrder, queryDatabase } from '#tests/support/stored-data';

/** A message as its user knows it. */
interface Sent {
  readonly mark: string;
  /** The server has said that it has it. */
  isAccepted: boolean;
}

interface Shown {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly mark: string;
  readonly text: string;
}

/** How a message ended: with an answer or a place in the queue, refused with a word about it, or without a word. */
export type Reply = 'answered' | 'queued' | 'refused' | 'lost';

/** What the user was shown in addition to the answers: notices at the ends of turns, and refused messages. */
export interface Told {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of a refused message its HTTP status. Null: the stream of an answer said it. */
  readonly status: number | null;
  readonly text: string;
}

/** Between two tries of a message that was refused; milliseconds. */
const TRY_AGAIN_MS = 300;

/**
 * One conversation as its user sees it: every message that was sent, every piece of an answer with the moment at which
 * it was shown. Compares that with what a database holds.
 */
export class ToldConversation {
  readonly id: string;
  readonly told: Told[] = [];
  readonly #number: number;
  readonly #insists: boolean;
  readonly #sent: Sent[] = [];
  #shown: Shown[] = [];
  /** Characters shown of each answer. */
  readonly #lengths = new Map<string, number>();
  /** Pages that were shown as made. */
  #pages: Shown[] = [];
  /** Messages go one after the other, so that their order is known. */
  #lastSent: Promise<unknown> = Promise.resolve();

  private constructor(id: string, number: number, insists: boolean) {
    this.id = id;
    this.#number = number;
    this.#insists = insists;
  }

  /**
   * @param number names the conversation in its marks
   * @param options.insists a message that is refused is sent again until it is not. Default false
   */
  static async begin(url: string, number: number, { insists = false } = {}): Promise<ToldConversation> {
    const response = await post(url, '/api/sessions', {});
    return new ToldConversation(z.object({ id: z.string() }).parse(await response.json()).id, number, insists);
  }

  get shownCount(): number {
    return this.#shown.length;
  }

  /** What the streams said that is no answer. */
  get toldInStream(): string[] {
    return this.told.flatMap(({ status, text }) => (status === null ? [text] : []));
  }

  /** Statuses of the messages that were refused. */
  get refusals(): number[] {
    return this.told.flatMap(({ status }) => status ?? []);
  }

  /** Sends a new message and reads its answer until that ends, breaks, or is not given immediately. */
  say(url: string): Promise<Reply> {
    const mark = `m${String(this.#number)}x${String(this.#sent.length)}x`;
    const sent = { mark, isAccepted: false };
    this.#sent.push(sent);
    return this.#send(url, sent);
  }

  /** Sends again what was not accepted, under the same id, as a browser does after a lost connection. */
  async sayAgain(url: string): Promise<void> {
    for (const sent of this.#sent) if (!sent.isAccepted) await this.#send(url, sent, true);
  }

  /**
   * What is wrong in the database, each as a sentence; to be asked when nothing writes to this conversation.
   * @param lostAfter text that was first shown before this moment must be stored; epoch milliseconds
   */
  async faults(databaseFile: string, lostAfter: number): Promise<string[]> {
    const stored = await this.#storedAnswers(databaseFile);
    const said = this.#shown.flatMap((piece) => (piece.at < lostAfter ? [piece] : []));
    return [
      ...(await this.#requestFaults(databaseFile)),
      ...[...stored].flatMap(([mark, text]) => answerFaults(mark, text)),
      ...[...joined(said)].flatMap(([mark, text]) =>
        (stored.get(mark) ?? '').startsWith(text)
          ? []
          : [
              `${mark}: ${String(text.length)} characters were shown, ${String(stored.get(mark)?.length ?? 0)} are stored`,
            ],
      ),
      ...(await this.#pageFaults(databaseFile, lostAfter)),
    ];
  }

  /** The texts of all answers, as the streams showed them and as the server gives them now. */
  async texts(url: string): Promise<{ readonly shown: string; readonly stored: string }> {
    const shown = [...joined(this.#shown).values()].join('');
    let stored = '';
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ limit: '100', ...(cursor !== '' && { cursor }) });
      const response = await fetch(`${url}/api/sessions/${this.id}/messages?${query.toString()}`);
      const page = messagePageSchema.parse(await response.json());
      for (const message of page.items) {
        if (message.role !== 'assistant') continue;
        for (const part of message.parts) if (part.type === 'text') stored += textContent.parse(part.content).text;
      }
      cursor = page.nextCursor;
    }
    return { shown, stored };
  }

  /** Age of the oldest text that was shown and is not stored, milliseconds before `moment`; 0: all is stored. */
  async oldestLoss(databaseFile: string, moment: number): Promise<number> {
    const stored = await this.#storedAnswers(databaseFile);
    const lengths = new Map<string, number>();
    for (const { at, mark, text } of this.#shown) {
      const length = (lengths.get(mark) ?? 0) + text.length;
      lengths.set(mark, length);
      if (length > (stored.get(mark)?.length ?? 0)) return moment - at;
    }
    return 0;
  }

  /** Loads the transcript again, as a browser does: shown text that is not stored is gone, and no longer a fault. */
  async reload(databaseFile: string): Promise<void> {
    const stored = await this.#storedAnswers(databaseFile);
    const titles = await storedTitles(databaseFile);
    this.#lengths.clear();
    // After a partly stored piece, its rest and all later pieces are missing.
    const broken = new Set<string>();
    this.#shown = this.#shown.filter(({ mark, text }) => {
      const length = (this.#lengths.get(mark) ?? 0) + text.length;
      if (broken.has(mark) || length > (stored.get(mark)?.length ?? 0)) {
        broken.add(mark);
        return false;
      }
      this.#lengths.set(mark, length);
      return true;
    });
    this.#pages = this.#pages.filter(({ text }) => titles.has(text));
  }

  async #send(url: string, sent: Sent, isLeft = false): Promise<Reply> {
    const { mark } = sent;
    const title = pageFor(mark);
    const words = title === null ? `Tell me more (${mark})` : `Create the page, then tell me more (${mark})`;
    const body = {
      id: this.id,
      message: { role: 'user', parts: [{ type: 'text', text: words }] },
      approvals: 'allow',
      clientRequestId: mark,
    };
    const posted = this.#lastSent.then(() => this.#post(url, body));
    this.#lastSent = posted;
    const response = await posted;
    if (response === null) return 'lost';
    if (!response.ok) return 'refused';
    sent.isAccepted = true;
    if (response.status === 200 && !isLeft) return this.#read(response);
    await response.body?.cancel();
    return isLeft ? 'queued' : this.#follow(url);
  }

  /** Null: no answer came. */
  async #post(url: string, body: object): Promise<Response | null> {
    for (;;) {
      const response = await post(url, '/api/chat', body).catch(() => null);
      if (response === null || response.ok) return response;
      this.told.push({ at: Date.now(), status: response.status, text: await response.text() });
      if (!this.#insists || response.status < 500) return response;
      await pause(TRY_AGAIN_MS);
    }
  }

  /** Reads the turns that the conversation has before it is idle. */
  async #follow(url: string): Promise<Reply> {
    for (;;) {
      const response = await fetch(`${url}/api/chat/${this.id}/stream`).catch(() => null);
      if (response?.status !== 200) return 'queued';
      await this.#read(response);
    }
  }

  /** Records what is new in it: a followed turn is streamed from its start. */
  async #read(response: Response): Promise<Reply> {
    const read = new Map<string, number>();
    let mark = '';
    try {
      for await (const chunk of readChatChunks(response)) {
        const at = Date.now();
        if (chunk.type === 'text-delta') {
          mark = marksIn(chunk.delta)[0] ?? mark;
          const length = (read.get(mark) ?? 0) + chunk.delta.length;
          read.set(mark, length);
          const added = length - (this.#lengths.get(mark) ?? 0);
          if (added <= 0) continue;
          this.#lengths.set(mark, length);
          this.#shown.push({ at, mark, text: chunk.delta.slice(-added) });
        } else if (chunk.type === 'tool-output-available') {
          for (const made of marksIn(chunk.toolCallId)) this.#pages.push({ at, mark: made, text: pageFor(made) ?? '' });
        } else if (chunk.type === 'error') {
          this.told.push({ at, status: null, text: chunk.errorText });
        }
      }
      return 'answered';
    } catch {
      return 'lost';
    }
  }

  /** Every accepted message once and in order, in the transcript or in the queue. */
  async #requestFaults(databaseFile: string): Promise<string[]> {
    const waiting = await queryDatabase(
      databaseFile,
      'select parts from queued_messages where session_id = ? order by rank, id',
      [this.id],
    );
    const stored = [...(await marksInOrder(databaseFile, this.id)), ...waiting.flatMap(({ parts }) => marksIn(parts))];
    // One without an answer may have come through or not.
    const doubtful = new Set(this.#sent.filter(({ isAccepted }) => !isAccepted).map(({ mark }) => mark));
    const expected = this.#sent.map(({ mark }) => mark).filter((mark) => !doubtful.has(mark) || stored.includes(mark));
    if (stored.join() === expected.join()) return [];
    return [`Messages of ${this.id}: stored ${stored.join()}, sent ${expected.join()}`];
  }

  /** The stored texts of answers, by the mark they answer. */
  async #storedAnswers(databaseFile: string): Promise<Map<string, string>> {
    const rows = await queryDatabase(
      databaseFile,
      `select json_extract(p.content, '$.text') text from message_parts p join messages m on m.id = p.message_id
       where m.session_id = ? and m.role = 'assistant' and p.type = 'text' and m.is_summary = 0
       order by m.seq, p."order"`,
      [this.id],
    );
    const texts = rows.map((row) => z.string().parse(row['text']));
    return joined(texts.map((text) => ({ mark: marksIn(text)[0] ?? 'none', text })));
  }

  async #pageFaults(databaseFile: string, lostAfter: number): Promise<string[]> {
    const titles = await storedTitles(databaseFile);
    const lost = this.#pages.filter(({ at, text }) => at < lostAfter && !titles.has(text));
    return lost.map(({ text }) => `"${text}" was shown as made and is not there`);
  }
}

const textContent = z.object({ text: z.string() });

async function storedTitles(databaseFile: string): Promise<ReadonlySet<unknown>> {
  return new Set((await queryDatabase(databaseFile, 'select title from entries')).map(({ title }) => title));
}

/** An answer is a beginning of what the provider said: nothing twice, nothing left out, nothing of another one. */
function answerFaults(mark: string, text: string): string[] {
  return answerWords(mark).join('').startsWith(text) ? [] : [`The answer to ${mark} is not as it was said: ${text}`];
}

/** The texts of each mark, concatenated. */
function joined(pieces: readonly { readonly mark: string; readonly text: string }[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { mark, text } of pieces) texts.set(mark, (texts.get(mark) ?? '') + text);
  return texts;
}

function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}
