import { MANY, wholeNumber } from '#server/context/setting-kinds';

/** How much tools may give back. */
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
} as const;
