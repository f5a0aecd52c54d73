import { type ModelPrices, pricesOf } from '#server/models/list-prices';

/** A model of the table below. */
export interface KnownModel {
  /** OpenRouter's id. */
  readonly id: string;
  readonly name: string;
  /** Tokens of request and response together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly prices: ModelPrices;
  readonly acceptsImages: boolean;
}

type Row = readonly [id: string, name: string, window: number, output: number, inputPrice: number, outputPrice: number];

/** Id of the basic assistant, which needs no provider. */
export const OFFLINE_MODEL_ID = 'throughline/offline';

/**
 * Context windows, maximum outputs and prices (input, output) as published by November 2026: newer rows from
 * Anthropic's model pages and the open catalogue models.dev (as served by OpenRouter), older ones from general
 * knowledge. Windows and outputs matter most here. Prices change, and differ by host: if a provider reports the cost of
 * a request, its report is used instead.
 */
const rows: readonly Row[] = [
  [OFFLINE_MODEL_ID, 'Basic assistant', 128_000, 4_096, 0, 0],

  ['anthropic/claude-fable-5.1', 'Claude Fable 5.1', 1_000_000, 128_000, 10, 50],
  ['anthropic/claude-opus-5.5', 'Claude Opus 5.5', 1_000_000, 128_000, 4, 20],
  ['anthropic/claude-opus-5', 'Claude Opus 5', 1_000_000, 128_000, 5, 25],
  ['anthropic/claude-opus-4.8', 'Claude Opus 4.8', 1_000_000, 128_000, 5, 25],
  ['anthropic/claude-opus-4.7', 'Claude Opus 4.7', 1_000_000, 128_000, 5, 25],
  ['anthropic/claude-opus-4.6', 'Claude Opus 4.6', 1_000_000, 128_000, 5, 25],
  ['anthropic/claude-opus-4.5', 'Claude Opus 4.5', 200_000, 64_000, 5, 25],
  ['anthropic/claude-opus-4.1', 'Claude Opus 4.1', 200_000, 32_000, 15, 75],
  ['anthropic/claude-opus-4', 'Claude Opus 4', 200_000, 32_000, 15, 75],
  ['anthropic/claude-sonnet-5.5', 'Claude Sonnet 5.5', 1_000_000, 128_000, 2, 10],
  ['anthropic/claude-sonnet-5', 'Claude Sonnet 5', 1_000_000, 128_000, 2, 10],
  ['anthropic/claude-sonnet-4.6', 'Claude Sonnet 4.6', 1_000_000, 128_000, 3, 15],
  ['anthropic/claude-sonnet-4.5', 'Claude Sonnet 4.5', 200_000, 64_000, 3, 15],
  ['anthropic/claude-sonnet-4', 'Claude Sonnet 4', 200_000, 64_000, 3, 15],
  ['anthropic/claude-3.7-sonnet', 'Claude 3.7 Sonnet', 200_000, 64_000, 3, 15],
  ['anthropic/claude-3.5-sonnet', 'Claude 3.5 Sonnet', 200_000, 8_192, 3, 15],
  ['anthropic/claude-haiku-5.5', 'Claude Haiku 5.5', 1_000_000, 128_000, 0.1, 0.5],
  ['anthropic/claude-haiku-4.5', 'Claude Haiku 4.5', 200_000, 64_000, 1, 5],
  ['anthropic/claude-3.5-haiku', 'Claude 3.5 Haiku', 200_000, 8_192, 0.8, 4],

  ['openai/gpt-5.5', 'GPT-5.5', 1_050_000, 128_000, 5, 30],
  ['openai/gpt-5.4', 'GPT-5.4', 1_050_000, 128_000, 2.5, 15],
  ['openai/gpt-5.2', 'GPT-5.2', 400_000, 128_000, 1.75, 14],
  ['openai/gpt-5.1', 'GPT-5.1', 400_000, 128_000, 1.25, 10],
  ['openai/gpt-5', 'GPT-5', 400_000, 128_000, 1.25, 10],
  ['openai/gpt-5-mini', 'GPT-5 mini', 400_000, 128_000, 0.25, 2],
  ['openai/gpt-5-nano', 'GPT-5 nano', 400_000, 128_000, 0.05, 0.4],
  ['openai/gpt-4.1', 'GPT-4.1', 1_047_576, 32_768, 2, 8],
  ['openai/gpt-4.1-mini', 'GPT-4.1 mini', 1_047_576, 32_768, 0.4, 1.6],
  ['openai/gpt-4.1-nano', 'GPT-4.1 nano', 1_047_576, 32_768, 0.1, 0.4],
  ['openai/gpt-4o', 'GPT-4o', 128_000, 16_384, 2.5, 10],
  ['openai/gpt-4o-mini', 'GPT-4o mini', 128_000, 16_384, 0.15, 0.6],
  ['openai/o3', 'o3', 200_000, 100_000, 2, 8],
  ['openai/o4-mini', 'o4-mini', 200_000, 100_000, 1.1, 4.4],
  ['openai/gpt-4-turbo', 'GPT-4 Turbo', 128_000, 4_096, 10, 30],
  ['openai/gpt-4-32k', 'GPT-4 32k', 32_768, 4_096, 60, 120],
  ['openai/gpt-4', 'GPT-4', 8_192, 4_096, 30, 60],
  ['openai/gpt-3.5-turbo', 'GPT-3.5 Turbo', 16_385, 4_096, 0.5, 1.5],

  ['google/gemini-3.8-flash', 'Gemini 3.8 Flash', 1_048_576, 65_536, 1.5, 7.5],
  ['google/gemini-3.1-pro-preview', 'Gemini 3.1 Pro', 1_048_576, 65_536, 2, 12],
  ['google/gemini-2.5-pro', 'Gemini 2.5 Pro', 1_048_576, 65_536, 1.25, 10],
  ['google/gemini-2.5-flash', 'Gemini 2.5 Flash', 1_048_576, 65_535, 0.3, 2.5],

  ['mistralai/mistral-large-2512', 'Mistral Large 3', 262_144, 209_715, 0.55, 1.65],
  ['mistralai/mistral-medium-3.1', 'Mistral Medium 3.1', 131_072, 4_096, 0.4, 2],
  ['mistralai/mistral-nemo', 'Mistral Nemo', 131_072, 16_384, 0.02, 0.04],

  ['meta-llama/llama-4-maverick', 'Llama 4 Maverick', 1_048_576, 16_384, 0.15, 0.6],
  ['meta-llama/llama-3.3-70b-instruct', 'Llama 3.3 70B', 131_072, 16_384, 0.1, 0.32],

  ['qwen/qwen3-coder', 'Qwen3 Coder', 1_048_576, 65_536, 0.22, 1.8],
  ['qwen/qwen3-235b-a22b-2507', 'Qwen3 235B', 262_144, 32_768, 0.15, 0.6],
  ['qwen/qwen-2.5-72b-instruct', 'Qwen2.5 72B', 32_768, 32_768, 0.07, 0.26],

  ['deepseek/deepseek-v4-flash', 'DeepSeek V4 Flash', 1_048_576, 943_718, 0.02, 1.28],
  ['deepseek/deepseek-v3.2', 'DeepSeek V3.2', 131_072, 65_536, 0.28, 0.4],
  ['deepseek/deepseek-r1-0528', 'DeepSeek R1', 163_840, 163_840, 0.4, 1.75],
];

/** Models that accept text only; all others also accept images. */
const textOnly = new Set([
  OFFLINE_MODEL_ID,
  'openai/gpt-4-32k',
  'openai/gpt-4',
  'openai/gpt-3.5-turbo',
  'mistralai/mistral-nemo',
  'meta-llama/llama-3.3-70b-instruct',
  'qwen/qwen3-coder',
  'qwen/qwen3-235b-a22b-2507',
  'qwen/qwen-2.5-72b-instruct',
  'deepseek/deepseek-v4-flash',
  'deepseek/deepseek-v3.2',
  'deepseek/deepseek-r1-0528',
]);

/** Every model whose limits we know, in the order in which they are offered. */
export const knownModels: readonly KnownModel[] = rows.map(
  ([id, name, contextWindow, maxOutputTokens, input, output]) => ({
    id,
    name,
    contextWindow,
    maxOutputTokens,
    prices: pricesOf(id, input, output),
    acceptsImages: !textOnly.has(id),
  }),
);
