/** The sections of every summary, in order. */
export const SUMMARY_SECTIONS = [
  'Original Task',
  'Current State',
  'What Comes Next',
  'What Was Accomplished',
  'Technical Context',
  'User Preferences',
  'Errors & Resolutions',
] as const;
export type SummarySection = (typeof SUMMARY_SECTIONS)[number];

/**
 * The sections in the order in which a summarizer writes them. The original task comes last: a text that is too long
 * loses its end, and code can take the task from the stored messages.
 */
export const NARRATIVE_ORDER: readonly SummarySection[] = [...SUMMARY_SECTIONS.slice(1), SUMMARY_SECTIONS[0]];
