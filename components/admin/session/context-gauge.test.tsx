import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ContextGauge } from '#components/admin/session/context-gauge';
import type { SessionContext } from '#server/core/conversation/context-report';
import { contextSample } from '#tests/support/context-history';

it('says by how much the context is above what is usable, and draws no more than all of it', () => {
  const { id: _, turnId: _turn, createdAt: _at, ...sample } = contextSample(1, { user: 16_960 });
  const context: SessionContext = {
    ...sample,
    outputReserve: 4_000,
    percentUsed: 141.3,
    availableTokens: 0,
    isOverflow: true,
    messageCount: 3,
    cachedShare: null,
    warning: null,
    cost: { lastStep: null, total: null },
    prunableTokens: 0,
    compactionCount: 0,
    lastCompactionAt: null,
    compactions: [],
    currentlyCompacting: false,
    compactingSince: null,
  };
  const drawn = renderToStaticMarkup(<ContextGauge context={context} />);
  expect(drawn).toContain('141 %');
  expect(drawn).toContain('value="100"');
  expect(drawn).toMatch(/width:100%/);
});
