/** Codes of the sentences about compactions, with their parameters; part of `messageParams`. */
export const compactionMessageParams = {
  // Why a compaction changed nothing, and why texts of its model were refused.
  'compaction-attempt': ['count', 'reason'],
  'compaction-attempts': ['attempts'],
  'compaction-failed': ['reason', 'attempts'],
  'compaction-no-gain': ['attempts'],
  'compaction-text-unusable': ['reason'],
  'compaction-within-conversation': ['reason'],
  // What became of a summary that was prepared in the background.
  'prepared-summary-changed': [],
  'prepared-summary-closed': [],
  'prepared-summary-crowded': [],
  'prepared-summary-dropped': ['reason'],
  'prepared-summary-other': [],
  'prepared-summary-unusable': [],
  // What is wrong with the text of a summary. Models read these, too.
  'summary-choice-unreadable': [],
  'summary-cut-off': [],
  'summary-empty': [],
  'summary-no-claims': [],
  'summary-not-ended': ['reason'],
  'summary-only-thoughts': [],
  'summary-removes-little': [],
  'summary-repeats': [],
  'summary-sections': ['count', 'most'],
  'summary-template-marks': [],
  'summary-wrong-figures': [],
} as const;
