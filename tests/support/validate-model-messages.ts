/** A message in the AI SDK's shape: `ModelMessage`, ours or the SDK's, or one of a `LanguageModelV4Prompt`. */
export interface SdkMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A message as OpenAI-compatible servers receive it. */
export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?:
    | readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
    | undefined;
  readonly tool_call_id?: string | undefined;
  readonly name?: string | undefined;
}

/** What the rules need to know of a message, for any shape. */
interface Turn {
  readonly role: string;
  /** Text that is not blank, or a file. */
  readonly hasContent: boolean;
  readonly calls: readonly Reference[];
  readonly results: readonly Reference[];
}

interface Reference {
  readonly id: string;
  readonly toolName: string | undefined;
}

/**
 * Every way in which providers would refuse this request, in words; empty when it is sound. Stricter than the AI SDK,
 * which accepts results without a call: each call has exactly one result, in the tool messages right after the
 * assistant message that made it; ids are unique within a step; no message is empty; instructions only at the front;
 * the conversation begins with the user, and user and assistant take turns as the chat templates of models check it.
 */
export function findSequenceProblems(messages: readonly SdkMessage[]): string[] {
  return findProblems(messages.map(readSdkMessage));
}

/** The same rules for a request on the wire to an OpenAI-compatible server. */
export function findWireSequenceProblems(messages: readonly WireMessage[]): string[] {
  return findProblems(messages.map(readWireMessage));
}

function findProblems(turns: readonly Turn[]): string[] {
  const firstTurn = turns.findIndex((turn) => turn.role !== 'system');
  if (firstTurn === -1) return ['there is no message'];
  const problems: string[] = [];
  if (turns[firstTurn]?.role !== 'user') problems.push(`message ${firstTurn}: the first message is not the user's`);
  turns.forEach((turn, index) => {
    if (turn.role === 'system' && index > firstTurn) problems.push(`message ${index}: system message in the middle`);
    problems.push(...problemsOfTurn(turn).map((problem) => `message ${index}: ${problem}`));
    problems.push(...problemsOfResults(turns, index).map((problem) => `message ${index}: ${problem}`));
  });
  const said = turns.map((turn, index) => ({ ...turn, index })).slice(firstTurn);
  return [
    ...problems,
    ...alternationProblems(said, 'Mistral', overlooksCalls),
    ...alternationProblems(said, 'Gemma', readsResultsAsUser),
  ];
}

type PlacedTurn = Turn & { readonly index: number };
type Reader = (turns: readonly PlacedTurn[]) => readonly { readonly role: string; readonly index: number }[];

/** Mistral's templates (`roles must alternate`) pass over results, and over answers that hold calls. */
const overlooksCalls: Reader = (turns) => turns.filter(({ role, calls }) => role !== 'tool' && calls.length === 0);

/** Templates without tools, Gemma's for one: servers hand them the results of a step as words of the user. */
const readsResultsAsUser: Reader = (turns) =>
  turns
    .filter(({ role }, at) => role !== 'tool' || turns[at - 1]?.role !== 'tool')
    .map(({ role, index }) => ({ role: role === 'tool' ? 'user' : role, index }));

/** The check at the top of such a template: user, assistant, user, assistant. */
function alternationProblems(turns: readonly PlacedTurn[], template: string, read: Reader): string[] {
  const wrong = read(turns).find(({ role }, at) => (role === 'user') !== (at % 2 === 0));
  return wrong ? [`message ${wrong.index}: roles do not alternate for ${template}'s template`] : [];
}

function problemsOfTurn(turn: Turn): string[] {
  switch (turn.role) {
    case 'system':
      return [];
    case 'user':
      return turn.hasContent ? [] : ['empty user message'];
    case 'assistant':
      return turn.hasContent || turn.calls.length > 0 ? [] : ['empty assistant message'];
    case 'tool':
      return turn.results.length > 0 ? [] : ['tool message without a result'];
    default:
      return [`unknown role "${turn.role}"`];
  }
}

/** Compares a message's calls with the run of tool messages after it; an orphaned run is reported where it begins. */
function problemsOfResults(turns: readonly Turn[], index: number): string[] {
  const turn = turns[index];
  const before = turns[index - 1]?.role;
  const isOrphanedRun = turn?.role === 'tool' && before !== 'assistant' && before !== 'tool';
  if (turn === undefined || (turn.role !== 'assistant' && !isOrphanedRun)) return [];
  const results = resultsFrom(turns, isOrphanedRun ? index : index + 1);

  const problems: string[] = [];
  const seen = new Set<string>();
  for (const call of turn.calls) {
    if (seen.has(call.id)) problems.push(`two calls have the id "${call.id}"`);
    seen.add(call.id);
    const answers = results.filter((result) => result.id === call.id);
    if (answers.length !== 1) problems.push(`call "${call.id}" has ${answers.length} results right after it`);
    for (const { toolName } of answers) {
      if (toolName !== undefined && toolName !== call.toolName) {
        problems.push(`call "${call.id}" of ${call.toolName} is answered by ${toolName}`);
      }
    }
  }
  for (const result of results) {
    if (!seen.has(result.id)) problems.push(`result "${result.id}" has no call right before it`);
  }
  return problems;
}

function resultsFrom(turns: readonly Turn[], start: number): readonly Reference[] {
  const results: Reference[] = [];
  for (let index = start; turns[index]?.role === 'tool'; index += 1) results.push(...(turns[index]?.results ?? []));
  return results;
}

interface ContentPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
}

function readSdkMessage({ role, content }: SdkMessage): Turn {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : asParts(content);
  const references = (type: string) =>
    parts
      .filter((part) => part.type === type)
      .map((part) => ({ id: String(part.toolCallId), toolName: String(part.toolName) }));
  return { role, hasContent: hasContent(parts), calls: references('tool-call'), results: references('tool-result') };
}

function readWireMessage(message: WireMessage): Turn {
  const { role, content } = message;
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : asParts(content);
  return {
    role: role === 'developer' ? 'system' : role,
    hasContent: hasContent(parts),
    calls: (message.tool_calls ?? []).map((call) => ({ id: call.id, toolName: call.function.name })),
    results: message.tool_call_id === undefined ? [] : [{ id: message.tool_call_id, toolName: message.name }],
  };
}

function asParts(content: unknown): readonly ContentPart[] {
  return Array.isArray(content) ? (content as ContentPart[]) : [];
}

/** Reasoning alone does not count: providers refuse a message that holds nothing else. */
function hasContent(parts: readonly ContentPart[]): boolean {
  return parts.some((part) =>
    part.type === 'text'
      ? typeof part.text === 'string' && part.text.trim() !== ''
      : ['file', 'image', 'image_url', 'input_audio'].includes(String(part.type)),
  );
}
