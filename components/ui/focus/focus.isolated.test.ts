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

it('takes the focus from a button or an empty field, and puts the cursor at the end', () => {
  for (const active of [element('button', 'x'), element('textarea')]) {
    const { focus, setSelectionRange } = open(active);
    expect(focus).toHaveBeenCalledOnce();
    expect(setSelectionRange).toHaveBeenCalledExactlyOnceWith(4, 4);
  }
});

it('does not take the focus from another field that is being typed in', () => {
  for (const active of [element('textarea', 'Something new'), element('input', 'raku')]) {
    expect(open(active).focus).not.toHaveBeenCalled();
  }
});
