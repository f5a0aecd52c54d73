import { resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServerLink } from '#server/integrations/mcp-client/server-link';

const never = new AbortController().signal;
let link: ServerLink | undefined;
afterEach(async () => {
  await link?.close();
  link = undefined;
});

function linkTo(...options: string[]): ServerLink {
  const args = [resolve('tests/support/odd-tool-server.ts'), ...options];
  const transport = { type: 'stdio', command: process.execPath, args, env: {} } as const;
  link = new ServerLink(
    { id: 'srv', name: 'odd', transport, policy: 'always', isEnabled: true },
    { variables: process.env, canRunPrograms: true, now: Date.now, onTools: () => undefined },
  );
  link.start();
  return link;
}

const namesOf = ({ definitions }: ServerLink) => definitions.map(({ name }) => name);

describe('a tool server', () => {
  it('that changes its tools while they are listed for the first time has them listed again', async () => {
    const server = linkTo('growing');
    await vi.waitFor(() => expect(server.state.status).toBe('ready'), { interval: 10 });
    await vi.waitFor(() => expect(namesOf(server)).toContain('grown'), { interval: 10 });
  });

  it('may write null for what it does not set', async () => {
    const server = linkTo('nulls');
    await vi.waitFor(() => expect(server.state).toMatchObject({ status: 'ready', problem: null }), { interval: 10 });
    expect(namesOf(server)).toContain('look');
  });

  it('that is disconnected during a call leaves open whether it was done', async () => {
    const server = linkTo();
    await server.call('look', {}, never);
    const call = server.call('hang', {}, never);
    const refusal = expect(call).rejects.toThrow(/disconnected during the call.*Whether it was done is not known/);
    await server.close();
    await refusal;
  });
});
