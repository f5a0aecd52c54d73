import { describe, expect, it, vi } from 'vitest';
import { createSignals, LocalSignals } from '#server/signals/signals';

describe('signals within a process', () => {
  it('reach every listener of their topic, and no other', () => {
    const signals = new LocalSignals(vi.fn());
    const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
    signals.subscribe('turn:a', first);
    signals.subscribe('turn:a', second);
    signals.subscribe('turn:b', other);
    signals.notify('turn:a');
    expect([first, second, other].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    signals.notifyAll();
    expect([first, second, other].map(({ mock }) => mock.calls.length)).toEqual([2, 2, 1]);
  });

  it('end with the subscription, also while one is delivered', () => {
    const signals = new LocalSignals(vi.fn());
    const listener = vi.fn(() => {
      unsubscribe();
      signals.subscribe('turn:a', later);
    });
    const later = vi.fn();
    const unsubscribe = signals.subscribe('turn:a', listener);
    signals.notify('turn:a');
    signals.notify('turn:a');
    expect(listener).toHaveBeenCalledOnce();
    expect(later).toHaveBeenCalled();
  });

  it('are counted by subscription, not by function', () => {
    const signals = new LocalSignals(vi.fn());
    const listener = vi.fn();
    const unsubscribe = signals.subscribe('turn:a', listener);
    signals.subscribe('turn:a', listener);
    unsubscribe();
    unsubscribe();
    signals.notify('turn:a');
    expect(listener).toHaveBeenCalledOnce();
  });

  it('pass over a listener that fails', () => {
    const onFault = vi.fn();
    const signals = new LocalSignals(onFault);
    const listener = vi.fn();
    signals.subscribe('turn:a', () => {
      throw new Error('no');
    });
    signals.subscribe('turn:a', listener);
    signals.notify('turn:a');
    expect(listener).toHaveBeenCalledOnce();
    expect(onFault).toHaveBeenCalledOnce();
  });

  it('are all there is without a REDIS_URL', () => {
    expect(createSignals({}, vi.fn())).toBeInstanceOf(LocalSignals);
  });
});
