import type { Content } from '@google/genai';
import { ChatCompressionService } from '@google/gemini-cli-core/dist/src/context/chatCompressionService.js';
import { tokenLimit } from '@google/gemini-cli-core/dist/src/core/tokenLimits.js';
import { CompressionStatus } from '@google/gemini-cli-core/dist/src/core/turn.js';
import { estimateTokenCountSync } from '@google/gemini-cli-core/dist/src/utils/tokenCalculation.js';
import type { ModelMessage } from 'ai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approach, Run, World } from '../context/approach.ts';
import { GeminiContents } from './gemini-contents.ts';
import { inputTokens } from './input-tokens.ts';
import { packageSource } from './package-source.ts';

const model = 'gemini-2.5-pro';
/** The package's default, as a fraction of what a request may hold. */
const threshold = 0.5;
/** Characters of a shortened tool output: the package's default. */
const truncateToolOutputThreshold = 40_000;

type Compress = (
  chat: object,
  promptId: string,
  force: boolean,
  model: string,
  config: object,
  hasFailedCompressionAttempt: boolean,
) => Promise<{ newHistory: Content[] | null; info: { compressionStatus: CompressionStatus } }>;

/** The service with which Gemini CLI compresses a chat, driven as its client does before each request. */
export const geminiCompression: Approach = {
  name: 'Gemini CLI: compression',
  source: packageSource('@google/gemini-cli-core'),
  isOurs: false,
  setup:
    'Its defaults (compresses at half of the request limit, keeps the newest 0.3, calls the summarizer twice, shortens tool outputs above 50,000 tokens), with the threshold scaled to this window. The compression service only, without the other handling of long tool outputs in Gemini CLI.',
  open: async (world) => open(world),
};

async function open(world: World): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-gemini-'));
  const homeBefore = process.env['GEMINI_CLI_HOME'];
  // It writes an installation id into its home.
  process.env['GEMINI_CLI_HOME'] = folder;

  const service = new ChatCompressionService();
  const compress = service.compress.bind(service) as unknown as Compress;
  const config = configFor(world, folder);
  const converted = new GeminiContents();
  let history: Content[] = [];
  let lastPromptTokens = 0;
  let hasFailed = false;

  /** What its client does in `tryCompressChat`. */
  async function tryCompress(): Promise<void> {
    const chat = { getHistory: () => history, getLastPromptTokenCount: () => lastPromptTokens };
    const { newHistory, info } = await compress(chat, 'bench', false, model, config, hasFailed);
    const status = info.compressionStatus;
    if (status === CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT) hasFailed = true;
    if (newHistory) {
      history = newHistory;
      lastPromptTokens = estimateTokenCountSync(history.flatMap((content) => content.parts ?? []));
    }
  }

  return {
    async step(added) {
      const { answered, request } = splitRequest(added);
      history = [...history, ...converted.from(answered)];
      await tryCompress();
      history = [...history, ...converted.from(request)];
      const sent = converted.to(history);
      lastPromptTokens = world.count(sent);
      return sent;
    },
    recall: null,
    async close() {
      if (homeBefore === undefined) delete process.env['GEMINI_CLI_HOME'];
      else process.env['GEMINI_CLI_HOME'] = homeBefore;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Its chat holds what was answered; what is asked next (tool results, the user's words) joins it only after compression. */
function splitRequest(added: readonly ModelMessage[]): { answered: ModelMessage[]; request: ModelMessage[] } {
  const end = added.findLastIndex((message) => message.role === 'assistant') + 1;
  return { answered: added.slice(0, end), request: added.slice(end) };
}

/** What the service asks of Gemini CLI's configuration; no telemetry, no hooks, no network. */
function configFor(world: World, folder: string): object {
  let truncated = 0;
  return {
    getCompressionThreshold: async () => (threshold * inputTokens(world)) / tokenLimit(model),
    getBaseLlmClient: () => ({
      async generateContent(request: { contents: Content[]; systemInstruction: { text: string } }) {
        const text = await world.summarize(promptText(request));
        return { candidates: [{ content: { role: 'model', parts: [{ text }] } }] };
      },
    }),
    getContentGenerator: () => undefined,
    getContentGeneratorConfig: () => undefined,
    getHookSystem: () => undefined,
    getUsageStatisticsEnabled: () => false,
    getSessionId: () => 'bench',
    getExperiments: () => undefined,
    isInteractive: () => false,
    getActiveModel: () => model,
    getApprovedPlanPath: () => undefined,
    getIncludeDirectoryTree: () => false,
    getSessionMemory: () => '',
    getTruncateToolOutputThreshold: () => truncateToolOutputThreshold,
    getNextCompressionTruncationId: () => ++truncated,
    storage: { getProjectTempDir: () => folder },
    // Its prompts ask through either of the two.
    get config() {
      return this;
    },
  };
}

/** The instruction, which it sends last, stands before the conversation: it is none of the user's words. */
function promptText({
  contents,
  systemInstruction,
}: {
  contents: Content[];
  systemInstruction: { text: string };
}): string {
  const instruction = contents.at(-1)?.parts?.map(partPrompt).join('\n') ?? '';
  const said = contents
    .slice(0, -1)
    .map((content) => `${speakerOf(content)}: ${content.parts?.map(partPrompt).join('\n')}`);
  return [systemInstruction.text, instruction, ...said].join('\n\n');
}

function speakerOf({ role, parts }: Content): string {
  return parts?.some((part) => part.functionResponse) ? 'tool' : (role ?? 'user');
}

function partPrompt(part: NonNullable<Content['parts']>[number]): string {
  if (part.functionCall) return `calls ${part.functionCall.name} ${JSON.stringify(part.functionCall.args)}`;
  if (part.functionResponse) return Object.values(part.functionResponse.response ?? {}).join('\n');
  return part.text ?? '';
}
