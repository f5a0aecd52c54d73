import { describe, expect, it } from 'vitest';
import { RequestGate, requestGate } from '#server/models/wire/request-gate';

const never = new AbortController().signal;

describe('RequestGate', () => {
  it('admits a person before a background summary, and equal ones in their order', async () => {
    const gate = new RequestGate();
    const order: string[] = [];
    const waits: string[] = [];
    const enter = async (name: string, priority: number) => {
      const leave = await gate.enter(1, priority, never, () => waits.push(name));
      order.push(name);
      return leave;
    };
    const leaveFirst = await enter('first', 0);
    const others = [enter('summary', 0), enter('program', 1), enter('person', 2), enter('second person', 2)];
    leaveFirst();
    for (const next of [others[2]!, others[3]!, others[1]!, others[0]!]) (await next)();
    expect(order).toEqual(['first', 'person', 'second person', 'program', 'summary']);
    expect(waits).toEqual(['summary', 'program', 'person', 'second person']);
    expect(gate.isBusy).toBe(false);
  });

  it('gives no place to a request that was given up, and counts a place once', async () => {
    const gate = new RequestGate();
    const leave = await gate.enter(1, 0, never, () => undefined);
    const gone = new AbortController();
    const waiting = gate.enter(1, 2, gone.signal, () => undefined);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    leave();
    leave();
    expect(gate.isBusy).toBe(false);
    const again = await gate.enter(1, 0, never, () => undefined);
    again();
  });

  it('continues after other requests that fail', async () => {
    const gate = new RequestGate();
    gate.mustBeAlone = true;
    await expect(gate.aside(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(gate.isBusy).toBe(false);
  });
});

it.each(['http://localhost:8000/v1', 'http://[::1]:8000/v1', 'http://0.0.0.0:8000', 'http://LOCALHOST:8000/v1/'])(
  'is one for all names of this machine: %s',
  (address) => {
    expect(requestGate(address)).toBe(requestGate('http://127.0.0.1:8000/v1'));
    expect(requestGate(address)).not.toBe(requestGate('http://127.0.0.1:8001/v1'));
    expect(requestGate(address)).not.toBe(requestGate('http://studio.local:8000/v1'));
  },
);
