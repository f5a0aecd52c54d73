import { inYourLanguage } from '#components/in-your-language';

/** What the bar of the preview says of a planned publication: apart from the dialogs that it opens, which come later. */
export const planStrings = inYourLanguage('planStrings', {
  open: 'Schedule',
  planned: (when: string) => `Scheduled: ${when}`,
  plannedLabel: (when: string, isOlder: boolean) =>
    `Scheduled: ${when}${isOlder ? ', without later changes' : ''}. Change or cancel`,
  older: 'without later changes',
  change: 'Change',
});
