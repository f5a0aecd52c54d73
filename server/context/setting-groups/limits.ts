import { fraction, MANY, wholeNumber } from '#server/context/setting-groups/setting-kinds';

/** How much of a window is used for what. */
export const limitSettings = {
  outputReserve: wholeNumber({
    variable: 'CONTEXT_OUTPUT_RESERVE',
    unit: 'tokens',
    default: 4_096,
    min: 1,
    max: MANY,
    meaning: "Kept free for the answer; at most outputReserveMaxShare of the window and the model's maximum output.",
  }),
  outputReserveMaxShare: fraction({
    variable: 'CONTEXT_OUTPUT_RESERVE_MAX_SHARE',
    unit: 'of the window',
    default: 0.25,
    min: 0.01,
    max: 0.6,
    meaning: 'The most that the output reserve takes of a small window.',
  }),
  usableShare: fraction({
    variable: 'CONTEXT_USABLE_SHARE',
    unit: 'of the window',
    default: 0.85,
    min: 0.3,
    max: 0.95,
    meaning: 'A request may fill this much, and never the output reserve; above it is an overflow.',
  }),
  realTimeShare: fraction({
    variable: 'CONTEXT_REAL_TIME_SHARE',
    unit: 'of the window',
    default: 0.9,
    min: 0.5,
    max: 0.98,
    meaning: 'A step that streams is ended cleanly once request and output together reach this.',
  }),
  targetShare: fraction({
    variable: 'CONTEXT_TARGET_SHARE',
    unit: 'of usable',
    default: 0.5,
    min: 0.1,
    max: 0.9,
    meaning: 'A compaction aims at this share of what instructions and tool schemas leave of usable.',
  }),
  softLimitShare: fraction({
    variable: 'CONTEXT_SOFT_LIMIT_SHARE',
    unit: 'of usable',
    default: 0.7,
    min: 0.2,
    max: 1,
    meaning: 'A turn that ends above this has the next summary prepared in the background.',
  }),
} as const;
