import { number } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts about scheduled publications. */
export const scheduledStrings = inYourLanguage('scheduledStrings', {
  title: (title: string) => `Schedule “${title}”`,
  time: 'When',
  hint: (zone: string) => `In your time zone, ${zone}. It is published as it is now: later changes stay a draft.`,
  save: 'Schedule',
  saving: 'Scheduling…',
  cancelSchedule: 'Cancel the schedule',
  noTime: 'Enter a day and a time.',
  past: 'Enter a time in the future.',
  done: (title: string, when: string) => `“${title}” is scheduled for ${when}`,
  cancelled: (title: string) => `“${title}” is no longer scheduled`,
  now: {
    instead: 'Publish now',
    title: (title: string) => `Publish “${title}”?`,
    ofDraft: (path: string) => `Visitors see it at once, at ${path}, as the draft is now.`,
    ofChanges: (path: string) => `Visitors see its changes at once, at ${path}, as the draft is now.`,
    ofPrivate: (path: string) =>
      `It is private now: publishing shows it to everybody, at ${path}, as the draft is now.`,
    ofPlan: 'It takes the place of the scheduled publication.',
    isUndoable: 'You can undo it.',
    isUnsaved: 'Not published: what you typed is not saved yet.',
    done: (title: string) => `“${title}” is published`,
  },
  list: {
    title: 'Scheduled',
    count: (count: number) => number.format(count),
    failed: 'What is scheduled could not be loaded.',
    types: { page: 'Page', post: 'Post' },
    update: 'changes to the published version',
    older: 'later changes stay a draft',
    late: (reason: string) => `Not published yet: ${reason}`,
    change: 'Change',
    changeLabel: (title: string) => `Change when “${title}” is published`,
    cancel: 'Cancel',
    cancelLabel: (title: string) => `Cancel the schedule of “${title}”`,
    more: (count: number) => `${number.format(count)} more are scheduled later.`,
  },
});
