import { expect, it } from 'vitest';
import { Peers, PRESENCE_MS } from '#server/platform/signals/peers';

it('reports a silent process until it is heard again, ends, or is silent for ten minutes', () => {
  let time = 0;
  const peers = new Peers(() => time);
  expect(peers.areAllHeard).toBe(true);
  const fallSilent = () => {
    peers.heard('own_1');
    time += 3 * PRESENCE_MS - 1;
    expect(peers.areAllHeard).toBe(true);
    time += 1;
    peers.heard('own_2');
    expect(peers.areAllHeard).toBe(false);
  };
  fallSilent();
  peers.heard('own_1');
  expect(peers.areAllHeard).toBe(true);
  fallSilent();
  peers.left('own_1');
  expect(peers.areAllHeard).toBe(true);
  fallSilent();
  time += 600_000;
  peers.heard('own_2');
  expect(peers.areAllHeard).toBe(true);
});
