/* What the engine writes into a conversation in the user's role, as models and transcripts recognize it. */

/** First words of a summary as the model reads it: history, said by nobody. */
export const SUMMARY_LABEL = '[Previous conversation summary]';
/** First words of every user message that the engine writes itself; never counts as the user's request. */
export const NOTE_LABEL = '[Note from Throughline]';

/** The sections of every summary, in order. */
export const SUMMARY_SECTIONS = [
  'Original Task',
  'What Was Accomplished',
  'Current State',
  'User Preferences',
  'What Comes Next',
  'Technical Context',
  'Errors & Resolutions',
] as const;
export type SummarySection = (typeof SUMMARY_SECTIONS)[number];
