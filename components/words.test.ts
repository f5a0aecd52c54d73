import { expect, it } from 'vitest';
import { shownPercent } from '#components/format.ts';
import { pageFieldLabels } from '#components/editor/model/field-labels.ts';
import { saveWords } from '#components/editor/page/page-status';
import { translator } from '#components/i18n.ts';

const tPageSettings = translator('pageSettings');
const tScheduleBar = translator('scheduleBar');

const tScheduled = translator('scheduled');
const t = translator('composer');
const tMessageAction = translator('messageAction');
const tQueue = translator('queue');
const tCommand = translator('command');
const tDecisions = translator('decisions');
const tDeletions = translator('deletions');
const tChanges = translator('changes');
const tCompaction = translator('compaction');
const tContext = translator('context');

it('has one word for one thing, and for people', () => {
  expect([tCompaction('done'), tCompaction('compacted')]).toEqual([
    'Older messages summarized. Nothing deleted.',
    'Older messages summarized. Nothing deleted.',
  ]);
  expect(tContext('compact')).toBe('Summarize now');
  expect(tCommand('titles.compact')).toMatch(/^Summarize older messages/);
  expect(tChanges('dialog.turnTitle')).toBe('Undo what this answer changed?');
  expect([tScheduleBar('open'), tScheduled('save'), tPageSettings('plan')]).toEqual([
    'Schedule',
    'Schedule',
    'Schedule',
  ]);
  expect(tPageSettings('address')).toBe('Address');
  expect(pageFieldLabels('excerpt').label).toBe('Short description');
  expect(tQueue('held')).toBe('Paused because you stopped');
  expect(t('placeholderBusy')).toBe('Add the next thing; I’ll get to it');
  expect([tMessageAction('retry'), tMessageAction('retryTitle')]).toEqual(['Ask again', 'Ask again?']);
  expect(saveWords('saved', null, false)).toBe('Saved');
});

it('labels answers to a question with their action', () => {
  const labels = (tool: 'publish_content' | 'unpublish_content') => [
    tDecisions(`${tool}.approve`),
    tDecisions(`${tool}.refuse`),
  ];
  expect(labels('publish_content')).toEqual(['Publish', 'Not now']);
  expect(tDeletions('page')).toBe('Delete page');
  expect(tDecisions('delete_content.refuse')).toBe('Keep it');
  expect(labels('unpublish_content')).toEqual(['Unpublish', 'Keep it online']);
});

it('never says that more than all of the memory is used', () => {
  expect(t('memory.used', { percent: shownPercent(2_362) })).toBe('Memory: 100 % used');
  expect(t('memory.percent', { percent: shownPercent(2_362) })).toBe('100 %');
  expect(t('memory.percent', { percent: shownPercent(41.6) })).toBe('42 %');
});
