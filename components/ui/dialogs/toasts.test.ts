import { toast } from 'sonner';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toastWithAction } from '#components/ui/dialogs/toasts';

/** Clicks the button of the newest toast. */
function click(): void {
  const shown = toast.getToasts().at(-1);
  (shown as unknown as { readonly action: { readonly onClick: () => void } }).action.onClick();
}

describe('a toast with a button', () => {
  afterEach(() => void toast.dismiss());

  it('does what it offers once, also when the button is clicked again while the toast leaves', async () => {
    const undo = vi.fn(async () => undefined);
    toastWithAction('Undid: the heading', 'Redo', undo);
    click();
    click();
    await vi.waitUntil(() => undo.mock.calls.length > 0);
    expect(undo).toHaveBeenCalledTimes(1);
  });
});
