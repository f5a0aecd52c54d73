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
 * The sections in the order in which a summarizer writes them: a text that becomes too long loses its end, and code
 * has the task itself.
 */
export const NARRATIVE_ORDER: readonly SummarySection[] = [...SUMMARY_SECTIONS.slice(1), SUMMARY_SECTIONS[0]];
