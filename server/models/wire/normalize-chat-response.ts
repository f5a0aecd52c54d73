import { parseJson } from '#server/core/json';
import { type Fields, isEmpty, isFields, numberIn } from '#server/models/wire/json-fields';
import { StreamedCalls } from '#server/models/wire/streamed-calls';

/* Servers of the chat completions format differ in fields that are not used, and the SDK's packages refuse a whole
   response for one field of an unexpected type. Responses are normalized here, before a package reads them: unused
   fields are dropped, values with a clear meaning are converted. */

/** Normalizes the events of one streamed response. Input and output are bytes; the output has only `\n` line ends. */
export class ChatEvents {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  readonly #calls = new StreamedCalls();
  /** An event whose end has not arrived yet. */
  #open = '';

  /** Adds bytes; returns the events that are now complete. */
  take(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    this.#open = unixLines(this.#open + this.#decoder.decode(bytes, { stream: true }));
    const end = this.#open.lastIndexOf('\n\n') + 2;
    // -1 + 2: no complete event.
    if (end === 1) return this.#encoder.encode('');
    const events = this.#open.slice(0, end).split('\n\n');
    this.#open = this.#open.slice(end);
    return this.#encoder.encode(events.map((event) => this.#normalized(event)).join(''));
  }

  /** Returns the remainder if the stream ends in the middle of an event. */
  rest(): Uint8Array<ArrayBuffer> {
    const text = this.#open + this.#decoder.decode();
    this.#open = '';
    return this.#encoder.encode(text.trim() === '' ? '' : this.#normalized(text));
  }

  #normalized(event: string): string {
    if (event.trim() === '') return '';
    const lines = event.split('\n');
    const errors = fieldIn(lines, 'error');
    // Older versions of llama.cpp send a field `error` in the place of `data` (server.cpp, server_sent_event).
    const data = errors.length > 0 ? errors : fieldIn(lines, 'data');
    // A comment, which shows that the connection is alive.
    if (data.length === 0) return `${event}\n\n`;
    const text = data.join('\n');
    if (text.trim() === '[DONE]') return 'data: [DONE]\n\n';
    const isError = errors.length > 0 || lines.some((line) => /^event: ?error$/.test(line));
    const value = parseJson(text);
    // Left unchanged, for the SDK to report.
    if (value === undefined && !isError) return `${event}\n\n`;
    const normalized = normalizedChunk(value ?? text, { isError }, this.#calls);
    return normalized === null ? '' : `data: ${JSON.stringify(normalized)}\n\n`;
  }
}

/** The values of a field of an event. */
function fieldIn(lines: readonly string[], name: string): string[] {
  const start = `${name}:`;
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length).replace(/^ /, ''));
}

/** The text with `\n` line ends; a `\r` at its end may be half of a line end, and is kept. */
function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n|\r(?=[^\n])/g, '\n') : text;
}

/** Normalizes the JSON body of a response that is not streamed; other bodies stay unchanged. */
export function normalizedBody(body: string): string {
  const value = parseJson(body);
  if (!isFields(value)) return body;
  const calls = new StreamedCalls();
  const normalized = normalizedChunk(value, { isBody: true }, calls);
  return normalized === null ? body : JSON.stringify(normalized);
}

interface Kind {
  /** The event has the type `error`. */
  readonly isError?: boolean;
  /** A complete response, not an event. */
  readonly isBody?: boolean;
}

/** Normalizes an event, or the body of a response; null if it contains nothing. */
function normalizedChunk(value: unknown, kind: Kind, calls: StreamedCalls): Fields | null {
  const { isError = false, isBody = false } = kind;
  if (!isFields(value)) return isError && !isEmpty(value) ? { error: errorOf(value) } : null;
  if (!isEmpty(value['error'])) return { ...value, error: errorOf(value['error']) };
  if (isError || value['object'] === 'error' || value['type'] === 'error') return { error: errorOf(value) };
  const { error: _error, choices, usage, id, created, model, provider, system_fingerprint: print, ...rest } = value;
  const counts = usageOf(usage);
  const listed = (Array.isArray(choices) ? choices : [choices]).filter(isFields);
  if (listed.length === 0 && counts === null) return null;
  return {
    ...rest,
    ...textField('id', id),
    ...textField('model', model),
    ...textField('provider', provider),
    ...textField('system_fingerprint', print),
    ...numberField('created', created),
    choices: listed.map((choice) => choiceOf(choice, isBody, calls)),
    ...(counts && { usage: counts }),
  };
}

/** An error in the form that the packages read: an object with a text as its message. */
function errorOf(error: unknown): Fields {
  if (!isFields(error)) return { message: typeof error === 'string' ? error : JSON.stringify(error) };
  const { message, code, type, ...rest } = error;
  const said = [message, rest['detail'], rest['error']].find((each) => typeof each === 'string' && each !== '');
  return {
    ...rest,
    message: said ?? JSON.stringify(error),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof type === 'string' && { type }),
  };
}

function choiceOf(choice: Fields, isBody: boolean, calls: StreamedCalls): Fields {
  const { index, delta, message, text: completion, finish_reason: reason, logprobs: _logprobs, ...rest } = choice;
  // Some servers use `message` in streams, too.
  const said = [delta, message].find(isFields) ?? {};
  const words = isEmpty(said['content']) && typeof completion === 'string' ? { ...said, content: completion } : said;
  return {
    ...rest,
    index: numberIn(index) ?? 0,
    [isBody ? 'message' : 'delta']: messageOf(words, calls),
    finish_reason: typeof reason === 'string' && reason !== '' ? reason : null,
  };
}

/** A message, or a piece of one. */
function messageOf(message: Fields, calls: StreamedCalls): Fields {
  const { role: _role, content, reasoning, reasoning_content: thoughts, refusal, ...others } = message;
  const {
    tool_calls: called,
    function_call: legacy,
    reasoning_details: details,
    images,
    annotations,
    ...rest
  } = others;
  const list = Array.isArray(called) ? called : isFields(called) ? [called] : [];
  // The format before `tool_calls`: one call, without an id.
  const pieces = list.length === 0 && isFields(legacy) ? [{ index: 0, function: legacy }] : list;
  const toolCalls = calls.addAll(pieces.filter(isFields));
  return {
    ...rest,
    role: 'assistant',
    content: contentOf(content),
    ...(!isEmpty(reasoning) && { reasoning: textIn(reasoning) }),
    ...(!isEmpty(thoughts) && { reasoning_content: textIn(thoughts) }),
    ...(typeof refusal === 'string' && { refusal }),
    ...(Array.isArray(details) && { reasoning_details: details.filter(isFields) }),
    ...(Array.isArray(images) && { images: images.filter(isFields) }),
    ...(Array.isArray(annotations) && { annotations: annotations.filter(isCitation) }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}

const isCitation = (value: unknown) =>
  isFields(value) &&
  value['type'] === 'url_citation' &&
  isFields(value['url_citation']) &&
  typeof value['url_citation']['url'] === 'string';

/** Text, or the list of a server that sends reasoning together with the text (Mistral's), which the package reads. */
function contentOf(content: unknown): string | null | Fields[] {
  if (content === null || content === undefined) return null;
  const list = Array.isArray(content) ? content.filter(isFields) : [];
  return list.some(({ type }) => type === 'thinking')
    ? list.filter(({ type }) => typeof type === 'string')
    : textIn(content);
}

/** Fields in which servers send the text of a part. */
const TEXT_FIELDS = ['text', 'content', 'summary', 'thinking', 'reasoning'] as const;

/** The text in a value of any of the forms that servers send. */
function textIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (depth > 4 || typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) return value.map((each) => textIn(each, depth + 1)).join('');
  const field = TEXT_FIELDS.find((name) => !isEmpty((value as Fields)[name]));
  return field === undefined ? '' : textIn((value as Fields)[field], depth + 1);
}

function textField(name: string, value: unknown): Fields {
  return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {};
}

function numberField(name: string, value: unknown): Fields {
  const found = numberIn(value);
  return found === null ? {} : { [name]: found };
}

/** The token counts of a response; null if the count of the request or of the answer is missing. */
function usageOf(usage: unknown): Fields | null {
  if (!isFields(usage)) return null;
  const input = numberIn(usage['prompt_tokens'] ?? usage['input_tokens']);
  const output = numberIn(usage['completion_tokens'] ?? usage['output_tokens']);
  if (input === null || output === null) return null;
  const cache = detailsOf(usage['prompt_tokens_details'], 'cached_tokens');
  const thoughts = detailsOf(usage['completion_tokens_details'], 'reasoning_tokens');
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: numberIn(usage['total_tokens']) ?? input + output,
    ...(cache && { prompt_tokens_details: cache }),
    ...(thoughts && { completion_tokens_details: thoughts }),
    ...numberField('cost', usage['cost']),
    ...(isFields(usage['cost_details']) && { cost_details: numbersIn(usage['cost_details']) }),
  };
}

/** Detailed counts, if they contain the one that is used. */
function detailsOf(details: unknown, read: string): Fields | null {
  const found = isFields(details) ? numbersIn(details) : {};
  return read in found ? found : null;
}

function numbersIn(fields: Fields): Fields {
  return Object.assign({}, ...Object.entries(fields).map(([name, value]) => numberField(name, value))) as Fields;
}
