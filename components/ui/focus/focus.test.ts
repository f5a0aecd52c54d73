import { afterEach, expect, it, vi } from 'vitest';
import { focusAtEnd } from '#components/ui/focus/focus.ts';

/** As much of an element as has the focus. */
const element = (selector: string, value = '') => ({ value, matches: (asked: string) => asked.includes(selector) });

function open(activeElement: object) {
  vi.stubGlobal('document', { activeElement });
  const field = { value: 'Four', focus: vi.fn<() => void>(), setSelectionRange: vi.fn<(...at: number[]) => void>() };
  focusAtEnd(field as unknown as HTMLTextAreaElement);
  return field;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it('takes the focus from a button and from an empty field, behind the last word', () => {
  for (const active of [element('button', 'x'), element('textarea')]) {
    const { focus, setSelectionRange } = open(active);
    expect(focus).toHaveBeenCalledOnce();
    expect(setSelectionRange).toHaveBeenCalledExactlyOnceWith(4, 4);
  }
});

it('leaves whoever writes somewhere else by the time that it opens', () => {
  for (const active of [element('textarea', 'Something new'), element('input', 'raku')]) {
    expect(open(active).focus).not.toHaveBeenCalled();
  }
});
