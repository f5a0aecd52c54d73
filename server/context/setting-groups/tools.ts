import { choice, choiceByTool, MANY, wholeNumber } from '#server/context/setting-kinds';

/** Whether a tool's calls run by themselves, only if the user agrees, or not at all. */
export const toolPolicyNames = ['always', 'ask', 'off'] as const;
export type ToolPolicy = (typeof toolPolicyNames)[number];

const HOUR_MS = 3_600_000;

/** How tools run, and how much they may give back. */
export const toolSettings = {
  toolOutputLimit: wholeNumber({
    variable: 'TOOL_OUTPUT_LIMIT',
    unit: 'characters',
    default: 120_000,
    min: 100,
    max: MANY,
    meaning: 'All tool results of one step together.',
  }),
  toolReservedChars: wholeNumber({
    variable: 'TOOL_RESERVED_CHARS',
    unit: 'characters',
    default: 1_000,
    min: 0,
    max: MANY,
    meaning: 'What every call of a step has for itself of what its results share.',
  }),
  toolMaxOutputChars: wholeNumber({
    variable: 'TOOL_MAX_OUTPUT_CHARS',
    unit: 'characters',
    default: 30_000,
    min: 100,
    max: MANY,
    meaning: 'One tool output, for tools that set no limit of their own.',
  }),
  maxLines: wholeNumber({
    variable: 'TOOL_MAX_LINES',
    unit: 'lines',
    default: 2_000,
    min: 10,
    max: MANY,
    meaning: 'Lines of one tool output.',
  }),
  maxLineLength: wholeNumber({
    variable: 'TOOL_MAX_LINE_LENGTH',
    unit: 'characters',
    default: 2_000,
    min: 50,
    max: MANY,
    meaning: 'One line of a tool output.',
  }),
  maxMatches: wholeNumber({
    variable: 'TOOL_MAX_MATCHES',
    unit: 'matches',
    default: 1_000,
    min: 1,
    max: MANY,
    meaning: 'Hits that a searching tool returns.',
  }),
  toolExecution: choice({
    variable: 'TOOL_EXECUTION',
    names: ['sequential', 'parallel'],
    default: 'sequential',
    meaning:
      'How the tool calls of one step run. parallel: those that only read run at the same time, one that writes alone.',
  }),
  toolTimeoutMs: wholeNumber({
    variable: 'TOOL_TIMEOUT_MS',
    unit: 'milliseconds',
    default: 60_000,
    min: 1,
    max: HOUR_MS,
    meaning: 'A tool that takes longer is stopped; its result says so.',
  }),
  toolPolicies: choiceByTool({
    variable: 'TOOL_POLICIES',
    names: toolPolicyNames,
    meaning: 'Whether a tool runs by itself (always, the default), only if the user agrees (ask), or not at all (off).',
  }),
} as const;
