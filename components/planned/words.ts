const number = new Intl.NumberFormat('en-US');

/** Every sentence about publications at a time to come. */
export const plannedStrings = {
  open: 'Publish later',
  planned: (when: string) => `Planned: ${when}`,
  plannedLabel: (when: string, isOlder: boolean) =>
    `Planned: ${when}${isOlder ? ', without later changes' : ''}. Change or cancel`,
  older: 'without later changes',
  title: (title: string) => `Publish “${title}” later`,
  time: 'When',
  hint: (zone: string) =>
    `In your time zone, ${zone}. It is published as it is now: what is changed until then stays a draft.`,
  save: 'Plan',
  saving: 'Planning…',
  cancelPlan: 'Do not publish it',
  noTime: 'Enter a day and a time.',
  past: 'Enter a time that is still to come.',
  done: (title: string, when: string) => `“${title}” is planned for ${when}`,
  cancelled: (title: string) => `“${title}” is not planned any more`,
  list: {
    title: 'Planned',
    count: (count: number) => number.format(count),
    failed: 'What is planned could not be loaded.',
    retry: 'Try again',
    types: { page: 'Page', post: 'Post' },
    update: 'changes to what is published',
    older: 'later changes stay a draft',
    late: (reason: string) => `Not published yet: ${reason}`,
    change: 'Change',
    changeLabel: (title: string) => `Change when “${title}” is published`,
    cancel: 'Cancel',
    cancelLabel: (title: string) => `Cancel: do not publish “${title}” by itself`,
    more: (count: number) => `${number.format(count)} more are planned later.`,
  },
} as const;
