import { number } from '#components/figures';

/** Texts beside a text that is written on the page. */
export const writingStrings = {
  /** Accessible name of a text. */
  label: (field: string, kind: string | null) => (kind === null ? field : `${field} (${kind})`),
  hint: 'Saved by itself. Esc ends.',
  saved: 'Saved',
  waiting: 'Not saved yet',
  saving: 'Saving…',
  conflict: 'Somebody else changed this too',
  failed: (reason: string) => `Not saved: ${reason}`,
  notNow: 'Not saved. It is tried again.',
  giveUp: (problem: string) => `${problem} Esc again takes it back to how it was saved.`,
  left: (left: number) => `${number.format(left)} left`,
  over: (over: number) => `${number.format(over)} too many`,
} as const;
