import { type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react';

/**
 * For a field that shows `value`: takes over what was typed into the page's HTML before its code was there, which the
 * next drawing would take away.
 * @returns the field's `ref`
 */
export function useTypedEarlier(value: string, onChange: (value: string) => void): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  const take = useEffectEvent(() => {
    const typed = field.current?.value ?? value;
    if (typed !== value) onChange(typed);
  });
  useLayoutEffect(() => take(), []);
  return field;
}
