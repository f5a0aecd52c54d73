import { expect, it } from 'vitest';
import type { ModelList } from '#server/core/admin/settings-report';
import { modelToUse } from '#components/chat/models/model-choice.ts';

const offer = (...ids: readonly string[]) =>
  ({ defaultModelId: 'default', items: ids.map((id) => ({ id })) }) as unknown as ModelList;

it('is the picked model, also before the list of models is loaded', () => {
  expect(modelToUse('large', undefined)).toBe('large');
  expect(modelToUse('large', offer('default', 'large'))).toBe('large');
});

it('is left to the server without a choice, or if the choice is no longer available', () => {
  expect(modelToUse(null, undefined)).toBeUndefined();
  expect(modelToUse(null, offer('default'))).toBeUndefined();
  expect(modelToUse('large', offer('default'))).toBeUndefined();
});
