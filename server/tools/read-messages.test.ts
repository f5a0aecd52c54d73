import { expect, it } from 'vitest';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, toolCall } from '#tests/support/scripted-model';

const calls = [...toolCall('c1', 'read_messages', '{"query":"glaze"}'), finish('tool-calls')];
const sent = (value: string) => ({
  entryId: 'pag_bcdfgh',
  sectionId: 'sec_bcdfgh',
  pageTitle: 'Contact',
  formTitle: 'Write to us',
  answers: [{ label: 'Message', kind: 'textarea' as const, value }],
  mail: 'none' as const,
});

it.each([
  ['off until an administrator allows it', {}, false],
  ['read where an administrator allows it', { TOOL_POLICIES: 'read_messages=always' }, true],
])('text of visitors is %s', async (_, env, isRead) => {
  await using chat = await startScriptedChat([calls, says('Done.')], env);
  await chat.services.submissions.add(sent('About the GLAZE workshop'));
  await chat.services.submissions.add(sent('Something else'));
  await chat.say('What do visitors ask about glazes?');
  const offered = chat.requests[0]?.tools?.map(({ name }) => name) ?? [];
  expect(offered.includes('read_messages')).toBe(isRead);
  const told = JSON.stringify(chat.requests[1]?.prompt);
  expect(told.includes('About the GLAZE workshop')).toBe(isRead);
  expect(told).not.toContain('Something else');
});
