import type { ModelMessage } from 'ai';
import type { Figures } from '#tests/bench/context/bench-report';
import type { World } from '#tests/bench/context/approach';
import { type MessagePart, partsOf } from '#tests/bench/context/message-parts';
import { median } from '#tests/bench/support/figures';

/** What can only be seen while the steps go on. */
type StepFigures = Pick<
  Figures,
  'latestRequest' | 'orphans' | 'timesOver' | 'steps' | 'compactions' | 'unchangedPrefix' | 'cpu'
>;

/** Takes the figures of each step. */
export class StepWatch {
  readonly #world: World;
  readonly #times: number[] = [];
  #before: readonly ModelMessage[] | null = null;
  #asked = 0;
  #heard = 0;
  #orphans = 0;
  #timesOver = 0;
  #compactions = 0;
  #same = 0;
  #sent = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * @param history the transcript up to this step
   * @param sent what the approach made of it
   * @param ms of processor time
   */
  see(history: readonly ModelMessage[], sent: readonly ModelMessage[], ms: number): void {
    const { contextWindow, maxOutputTokens } = this.#world;
    this.#times.push(ms);
    const request = requestsOf(history).at(-1);
    if (request !== undefined) {
      this.#asked += 1;
      if (isThere(request, userText(sent))) this.#heard += 1;
    }
    const own = openCalls(history);
    this.#orphans += [...openCalls(sent)].filter((id) => !own.has(id)).length;
    if (this.#world.count(sent) > contextWindow - maxOutputTokens) this.#timesOver += 1;
    this.#compare(sent);
  }

  figures(): StepFigures {
    return {
      latestRequest: { kept: this.#heard, of: this.#asked },
      orphans: this.#orphans,
      timesOver: this.#timesOver,
      steps: this.#times.length,
      compactions: this.#compactions,
      unchangedPrefix: this.#sent === 0 ? 1 : this.#same / this.#sent,
      cpu: { median: median(this.#times), most: Math.max(...this.#times) },
    };
  }

  /** Message by message from the start, as a provider's prompt cache does. */
  #compare(sent: readonly ModelMessage[]): void {
    const before = this.#before;
    this.#before = [...sent];
    if (before === null) return;
    const changed = sent.findIndex((message, index) => serialized(message) !== serialized(before[index]));
    const same = changed === -1 ? sent.length : changed;
    if (same < before.length) this.#compactions += 1;
    this.#same += this.#world.count(sent.slice(0, same));
    this.#sent += this.#world.count(sent);
  }
}

const known = new WeakMap<ModelMessage, string>();

function serialized(message: ModelMessage | undefined): string {
  if (message === undefined) return '';
  const text = known.get(message) ?? JSON.stringify([message.role, partsOf([message])]);
  known.set(message, text);
  return text;
}

/** The texts of each message in which the user said something. */
export function requestsOf(messages: readonly ModelMessage[]): string[][] {
  return messages
    .filter(({ role }) => role === 'user')
    .map((message) => textsOf([message]))
    .filter((texts) => texts.length > 0);
}

/** Whether a request is in a text, word for word; a short one is no part of another word there. */
export function isThere(request: readonly string[], text: string): boolean {
  return request.every((words) => {
    for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
      const edges = [text.slice(Math.max(0, at - 1), at + 1), text.slice(at + words.length - 1, at + words.length + 1)];
      if (!edges.some((edge) => /\w\w/.test(edge))) return true;
    }
    return false;
  });
}

/** The words of users' messages: an approach may have made one message of several. */
export function userText(messages: readonly ModelMessage[]): string {
  return textsOf(messages.filter(({ role }) => role === 'user')).join('\n');
}

function textsOf(messages: readonly ModelMessage[]): string[] {
  const texts = partsOf(messages).filter(({ kind }) => kind === 'text');
  return texts.map(({ text }) => text.trim()).filter(Boolean);
}

/** Calls without a later result, and results without an earlier call. */
function openCalls(messages: readonly ModelMessage[]): Set<string> {
  const open = new Set<string>();
  const called = new Set<string>();
  for (const { kind, callId } of partsOf(messages) as readonly MessagePart[]) {
    if (callId === null) continue;
    if (kind === 'call') {
      called.add(callId);
      open.add(callId);
    } else if (called.has(callId)) open.delete(callId);
    else open.add(callId);
  }
  return open;
}
