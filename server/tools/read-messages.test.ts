import { expect, it } from 'vitest';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, toolCall } from '#tests/support/scripted-model';
import type { Scope } from '#server/core/admin/access-rights';
import { createReadMessages } from '#server/tools/read-messages';
import type { ToolContext } from '#server/tools/tool';

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

it('returns comments on drafts only to callers with content:draft', async () => {
  const comment = { id: 'cmt_1', entryId: 'pag_bcdfgh', sectionId: null, name: 'Ida', text: 'Shorter.', createdAt: 1 };
  const tool = createReadMessages(
    { list: async () => ({ items: [], total: 0, nextCursor: null }) },
    { open: async () => [{ ...comment, resolvedAt: null }] },
  );
  const read = async (scope: Scope) =>
    JSON.stringify(await tool.execute({}, { siteId: 'embedded', scopes: [scope] } as unknown as ToolContext));
  expect(await read('content:draft')).toContain('Shorter.');
  expect(await read('content:read')).not.toContain('comments');
});
