import { parseJson } from '#server/core/json';
import { type Fields, isEmpty, isFields, numberIn } from '#server/models/wire/json-fields';

interface Call {
  readonly index: number;
  /** The id that the server sent; the forwarded id may differ, so that each call has a unique one. */
  readonly wireId: string | null;
  readonly name: string;
  text: string;
}

/**
 * The calls of one response. Each gets a new index and a unique id, independent of the server's: some servers give two
 * calls the same index or id, some repeat the name or create another id with every piece.
 */
export class StreamedCalls {
  readonly #calls: Call[] = [];
  readonly #ids = new Set<string>();
  /** The newest call by the server's index. */
  readonly #byIndex = new Map<number, Call>();
  /** Calls with a piece in the present list: an equal piece of the same list is another call, not a repetition. */
  readonly #listed = new Set<Call>();

  /** The normalized pieces of one list of calls. */
  addAll(pieces: readonly Fields[]): Fields[] {
    this.#listed.clear();
    return pieces.map((piece) => this.#add(piece)).filter((piece) => piece !== null);
  }

  /** The normalized piece of a call; null if it contains nothing. */
  #add(piece: Fields): Fields | null {
    const called = isFields(piece['function']) ? piece['function'] : {};
    const name = typeof called['name'] === 'string' ? called['name'].trim() : '';
    const added = argumentsOf(called['arguments']);
    const wireId = typeof piece['id'] === 'string' || typeof piece['id'] === 'number' ? String(piece['id']).trim() : '';
    const at = numberIn(piece['index']);
    const open = this.#open(at, wireId, name, added);
    if (open) {
      this.#listed.add(open);
      // An empty piece, or a repetition of the whole call.
      if (added === '' || (added === open.text && isObject(added))) return null;
      open.text += added;
      return { index: open.index, function: { arguments: added }, ...extraOf(piece) };
    }
    if (name === '') return null;
    // The placeholder for arguments that come later, or no arguments: the call has them empty in both cases.
    const text = added.trim() === '{}' ? '' : added;
    const call: Call = { index: this.#calls.length, wireId: wireId || null, name, text };
    this.#calls.push(call);
    this.#listed.add(call);
    if (at !== null) this.#byIndex.set(at, call);
    const id = this.#freeId(wireId || `call_${call.index}_${crypto.randomUUID().slice(0, 8)}`);
    return { index: call.index, id, type: 'function', function: { name, arguments: text }, ...extraOf(piece) };
  }

  /**
   * The call that a piece continues; null if it starts a new one. Each rule is for a deviation that servers were reported
   * to have; tests/integration/odd-streams.test.ts has an example of each, named here in quotation marks.
   */
  #open(at: number | null, wireId: string, name: string, added: string): Call | null {
    const sameId = wireId === '' ? undefined : this.#calls.findLast((call) => call.wireId === wireId);
    // Pieces "without an index": the id decides, or, without one, the newest call.
    const last = name === '' || wireId === '' ? this.#calls.at(-1) : undefined;
    const candidate = sameId && at === null ? sameId : at === null ? last : this.#byIndex.get(at);
    // A later piece whose index differs from that of its call.
    if (!candidate) return name === '' ? (sameId ?? null) : null;
    // The usual piece, which repeats no name; also "another id with each piece".
    if (name === '') return candidate;
    // Two calls that have "one index" or "neither" id nor index: different tools are different calls.
    if (name !== candidate.name) return null;
    const isOther = wireId !== '' && candidate.wireId !== null && wireId !== candidate.wireId;
    const isComplete = isObject(candidate.text);
    // "Two equal calls of one chunk".
    if (isComplete && this.#listed.has(candidate) && isObject(added)) return null;
    // "The call once more at the end": a repetition of the whole call.
    if (isComplete && added !== '' && candidate.text === added && !isOther) return candidate;
    // "Arguments in pieces, the name with each" continue the call. Arguments that start anew are another call of the
    // same tool, with "one id", "one index" or both.
    const isStart = /^\s*[{["]/.test(added) || (isOther && added === '');
    return isStart && (isComplete || isOther) ? null : candidate;
  }

  #freeId(wanted: string): string {
    let id = wanted;
    for (let count = 2; this.#ids.has(id); count += 1) id = `${wanted}_${count}`;
    this.#ids.add(id);
    return id;
  }
}

const isObject = (json: string) => isFields(parseJson(json));

/** Arguments as text; an empty object is a placeholder that some servers send before the first piece. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isEmpty(value) ? '' : JSON.stringify(value);
}

/** Google's signature of the reasoning, which must be sent back with its call. */
function extraOf({ extra_content: extra }: Fields): Fields {
  return isFields(extra) ? { extra_content: extra } : {};
}
