import { renderToReadableStream } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { fetchedLater } from '#components/ui/fetched-later';

const DESK = 'The desk';
const PANEL = 'What was changed';

async function textOf(Component: React.ComponentType<object>): Promise<string> {
  const stream = await renderToReadableStream(
    <main>
      {DESK}
      <Component />
    </main>,
  );
  await stream.allReady;
  return new Response(stream).text();
}

describe('a part of the page that is fetched when it is shown', () => {
  it('leaves the rest alone when it cannot be fetched, and is fetched the next time', async () => {
    let isOnline = false;
    const Panel = fetchedLater(async () => {
      if (!isOnline) throw new Error('Failed to load chunk');
      return () => <p>{PANEL}</p>;
    });
    const without = await textOf(Panel);
    expect(without).toContain(DESK);
    expect(without).not.toContain(PANEL);

    isOnline = true;
    expect(await textOf(Panel)).toContain(PANEL);
  });
});
