import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ModelChoices } from '#components/chat/models/model-choices';
import { modelStrings } from '#components/chat/text/words.ts';
import type { ModelList } from '#server/core/admin/settings-report';
import { listedModel } from '#tests/support/listed-model';

it('marks the models that cannot use tools, and no others', () => {
  const items = [listedModel('local/plain', { acceptsTools: false }), listedModel('local/studio')];
  const typicalTurn = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, turns: 0 };
  const fallback: ModelList = { items, typicalTurn, recommendedOn: '2026-11', defaultModelId: 'local/studio' };
  const markup = renderToStaticMarkup(
    <ModelChoices sessionId={null} fallback={fallback} value="local/studio" onChoose={() => undefined} />,
  );
  const rows = markup.split('role="option"').slice(1);
  expect(rows.map((row) => row.includes(modelStrings.noTools))).toEqual([true, false]);
});
