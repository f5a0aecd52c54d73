import { number } from '#components/figures';

/** Every sentence about publications at a time to come. */
export const plannedStrings = {
  open: 'Publish later',
  planned: (when: string) => `Planned: ${when}`,
  plannedLabel: (when: string, isOlder: boolean) =>
    `Planned: ${when}${isOlder ? ', without later changes' : ''}. Change or cancel`,
  older: 'without later changes',
  title: (title: string) => `Publish “${title}” later`,
  time: 'When',
  hint: (zone: string) => `In your time zone, ${zone}. It is published as it is now: later changes stay a draft.`,
  save: 'Plan',
  saving: 'Planning…',
  cancelPlan: 'Cancel the publication',
  noTime: 'Enter a day and a time.',
  past: 'Enter a time in the future.',
  done: (title: string, when: string) => `“${title}” is planned for ${when}`,
  cancelled: (title: string) => `“${title}” is no longer planned`,
  list: {
    title: 'Planned',
    count: (count: number) => number.format(count),
    failed: 'The planned publications could not be loaded.',
    types: { page: 'Page', post: 'Post' },
    update: 'changes to the published version',
    older: 'later changes stay a draft',
    late: (reason: string) => `Not published yet: ${reason}`,
    change: 'Change',
    changeLabel: (title: string) => `Change when “${title}” is published`,
    cancel: 'Cancel',
    cancelLabel: (title: string) => `Cancel the publication of “${title}”`,
    more: (count: number) => `${number.format(count)} more are planned later.`,
  },
} as const;
