import { expect, it } from 'vitest';
import { contextLevel } from '#components/ui/context-level';

it('draws attention from 65 % on and warns from 85 % on', () => {
  expect([0, 64.9, 65, 84.9, 85, 130].map(contextLevel)).toEqual(['calm', 'calm', 'warm', 'warm', 'full', 'full']);
});
