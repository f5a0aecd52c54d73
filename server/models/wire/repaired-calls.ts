import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import { parseJson } from '#server/core/json';

/**
 * A model of a server that may pass on calls in the form in which its model wrote them. Parses arguments written as
 * `null`, or as JSON inside a string; converts text in the call markup of gpt-oss or DeepSeek to calls, if the tool is
 * offered.
 */
export function withRepairedCalls(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream, params }) {
        const { stream, ...rest } = await doStream();
        return { ...rest, stream: repairedStream(stream, params) };
      },
    },
  });
}

type Part = LanguageModelV4StreamPart;

function repairedStream(
  stream: ReadableStream<Part>,
  { tools = [] }: LanguageModelV4CallOptions,
): ReadableStream<Part> {
  const offered = new Set(tools.map(({ name }) => name));
  const texts = new Map<string, HeldText>();
  let hasMadeCalls = false;

  function mended(part: Part): Part[] {
    switch (part.type) {
      case 'text-delta': {
        const held = texts.get(part.id) ?? new HeldText();
        texts.set(part.id, held);
        const delta = offered.size === 0 ? part.delta : held.add(part.delta);
        return delta === '' ? [] : [{ ...part, delta }];
      }
      case 'text-end': {
        const rest = texts.get(part.id)?.rest() ?? '';
        const calls = callsInText(rest, offered);
        if (calls.length === 0) return [...(rest === '' ? [] : [deltaOf(part.id, rest)]), part];
        hasMadeCalls = true;
        return [part, ...calls.map(callPart)];
      }
      case 'tool-call':
        return [{ ...part, input: repairedInput(part.input) }];
      case 'finish': {
        const { finishReason } = part;
        const isCalling = hasMadeCalls && finishReason.unified === 'stop';
        return [isCalling ? { ...part, finishReason: { ...finishReason, unified: 'tool-calls' } } : part];
      }
      default:
        return [part];
    }
  }

  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const parts = mended(value);
        for (const part of parts) controller.enqueue(part);
        if (parts.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const deltaOf = (id: string, delta: string): Part => ({ type: 'text-delta', id, delta });

function callPart({ name, input }: WrittenCall): LanguageModelV4ToolCall {
  return { type: 'tool-call', toolCallId: `call_${crypto.randomUUID()}`, toolName: name, input };
}

/** Arguments as a JSON object, if they are written as `null` or as JSON inside a string. */
function repairedInput(input: string): string {
  const value = parseJson(input);
  if (value === null) return '{}';
  if (typeof value !== 'string') return input;
  const inner = parseJson(value);
  if (value.trim() === '' || inner === null) return '{}';
  // Quoted more than once.
  if (typeof inner === 'string') return repairedInput(value);
  return typeof inner === 'object' ? value : input;
}

/**
 * Special tokens with which gpt-oss and DeepSeek begin a call. Tokenizers reserve them, so ordinary text does not
 * contain them; some servers write them with other bars and blanks.
 */
const OPENING = /<[|｜](?:start|channel|tool[▁_ ]calls?[▁_ ]begin|DSML)[|｜]/;
/** Length of the longest of them, characters. */
const OPENING_LENGTH = 24;

/** Holds text back from the position of such a token. */
class HeldText {
  #held = '';

  /** Adds text; returns the part that can be shown. */
  add(delta: string): string {
    this.#held += delta;
    const opening = OPENING.exec(this.#held);
    const from = opening ? opening.index : this.#possibleOpening();
    const shown = this.#held.slice(0, from);
    this.#held = this.#held.slice(from);
    return shown;
  }

  rest(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }

  /** Position at which an incomplete token may have started. */
  #possibleOpening(): number {
    const at = this.#held.lastIndexOf('<');
    const tail = at === -1 ? '' : this.#held.slice(at);
    const isPossible = tail !== '' && tail.length < OPENING_LENGTH && /^<(?:$|[|｜][\w▁ ]*$)/.test(tail);
    return isPossible ? at : this.#held.length;
  }
}

interface WrittenCall {
  readonly name: string;
  /** A JSON object as text. */
  readonly input: string;
}

/** The calls in a text that consists of calls; empty if one of them is incomplete or its tool is not offered. */
function callsInText(text: string, offered: ReadonlySet<string>): readonly WrittenCall[] {
  if (!OPENING.test(text)) return [];
  const calls = [...harmonyCalls(text), ...deepSeekCalls(text), ...markupCalls(text)];
  const isSound = ({ name, input }: WrittenCall) => offered.has(name) && isObject(parseJson(input));
  return calls.every(isSound) ? calls : [];
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * gpt-oss: `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|>`; the recipient may also
 * be in the role (OpenAI's description of the harmony format).
 */
function harmonyCalls(text: string): WrittenCall[] {
  const messages = text.split(/<\|(?:call|end|return)\|>|(?=<\|start\|>)/);
  return messages.flatMap((message) => {
    const [head = '', ...body] = message.split('<|message|>');
    const name = / to=(?:functions\.)?([\w-]{1,100})/.exec(head)?.[1];
    return name === undefined || body.length === 0 ? [] : [{ name, input: repairedInput(body.join('').trim()) }];
  });
}

/**
 * DeepSeek: `<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME`, then the arguments in a fence (V3, R1), or
 * `<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}` (V3.1); each ends in `<｜tool▁call▁end｜>` (the models' chat templates).
 */
function deepSeekCalls(text: string): WrittenCall[] {
  const found = text.matchAll(
    /<[|｜]tool[▁_ ]call[▁_ ]begin[|｜]>([\s\S]*?)<[|｜]tool[▁_ ]sep[|｜]>([\s\S]*?)(?:<[|｜]tool[▁_ ]calls?[▁_ ]end[|｜]>|$)/g,
  );
  return [...found].map(([, first = '', second = '']) => {
    const fenced = /^\s*([\w-]+)\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/.exec(second);
    const [name, input] = fenced ? [fenced[1] ?? '', fenced[2] ?? ''] : [first.trim(), second.trim()];
    return { name, input: repairedInput(input === '' ? '{}' : input) };
  });
}

/** DeepSeek V3.2: `<｜DSML｜invoke name="NAME">` with one element for each argument (the model's encoding script). */
function markupCalls(text: string): WrittenCall[] {
  const found = text.matchAll(/<[|｜]DSML[|｜]invoke name="([^"]+)">([\s\S]*?)<\/[|｜]DSML[|｜]invoke>/g);
  return [...found].map(([, name = '', body = '']) => {
    const fields = body.matchAll(
      /<[|｜]DSML[|｜]parameter name="([^"]+)"(?: string="(true|false)")?>([\s\S]*?)<\/[|｜]DSML[|｜]parameter>/g,
    );
    const entries = [...fields].map(([, key = '', isText = 'true', value = '']) => [
      key,
      isText === 'true' ? value : (parseJson(value) ?? value),
    ]);
    return { name, input: JSON.stringify(Object.fromEntries(entries)) };
  });
}
