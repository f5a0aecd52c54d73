'use client';

import clsx from 'clsx';
import { Check, ChevronDown, ChevronRight, Copy } from 'lucide-react';
import {
  type AriaAttributes,
  cloneElement,
  type ComponentProps,
  type DOMAttributes,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useState,
} from 'react';
import { toast } from '#components/toast';
import { fetchedLater } from '#components/ui/fetched-later';
import { strings } from '#components/words';

const variants = {
  primary:
    'bg-accent text-accent-ink hover:bg-accent-strong disabled:bg-rule disabled:text-ink-3 aria-disabled:bg-rule aria-disabled:text-ink-3',
  outline:
    'border border-rule-strong bg-sheet text-ink hover:border-ink-3 disabled:text-ink-3 aria-disabled:text-ink-3',
  ghost:
    'text-ink-2 hover:bg-ink/6 hover:text-ink disabled:text-ink-3 disabled:hover:bg-transparent aria-disabled:text-ink-3',
  danger: 'bg-red text-sheet hover:opacity-90 disabled:opacity-50',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants;
  /** Of no use for a moment, mostly because it works: unlike a disabled one it keeps the focus. Default false. */
  readonly isBusy?: boolean;
}

/** A button with a text. */
export function Button({ variant = 'outline', isBusy = false, className, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
      className={clsx(
        'inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium transition-colors',
        variants[variant],
        className,
      )}
      {...props}
    />
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** Accessible name and tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

/** A button that shows an icon only, with a tooltip that says what it does. */
export function IconButton({ label, icon, className, ...props }: IconButtonProps) {
  return (
    <Tip text={label}>
      <button
        type="button"
        aria-label={label}
        className={clsx(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors',
          'hover:bg-ink/6 hover:text-ink aria-pressed:text-accent disabled:text-ink-3',
          '[&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]',
          className,
        )}
        {...props}
      >
        {icon}
      </button>
    </Tip>
  );
}

/** Time the check mark stays after copying; ms. */
const COPIED_FOR = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
}

/** Puts a text into the clipboard and says so. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return undefined;
    const timer = setTimeout(() => setCopiedAt(null), COPIED_FOR);
    return () => clearTimeout(timer);
  }, [copiedAt]);

  const copy = async () => {
    try {
      // Not there at all on a page that came over plain HTTP.
      await navigator.clipboard.writeText(text);
      setCopiedAt(Date.now());
    } catch {
      toast.error(strings.common.copyFailed);
    }
  };
  return (
    <>
      <IconButton
        label={label}
        className="size-6! text-ink-3 [&_svg]:size-3.5!"
        icon={copiedAt === null ? <Copy aria-hidden /> : <Check aria-hidden className="text-accent" />}
        onClick={() => void copy()}
      />
      <output aria-live="polite" className="sr-only">
        {copiedAt === null ? '' : strings.common.copied}
      </output>
    </>
  );
}

/** Time under the pointer until a control explains itself, unless another did a moment ago; ms. */
const REST = 400;
/** Time after one explanation in which the next control explains itself at once; ms. */
const SOON = 300;
/** Time for the way of the pointer from a control to its explanation; ms. */
const WAY = 100;

const TipLayer = fetchedLater(async () => (await import('#components/ui/layers')).TipLayer);

/** Closes the explanation that is shown, of which there is one at a time. */
let closeShown: (() => void) | null = null;
let closedAt = -Infinity;

/** Says when the explanation of a control comes and goes. @param show called with the control; null: it goes */
function tipTimes(show: (control: Element | null) => void) {
  let timer = 0;
  let isOver = false;
  let isPressed = false;
  const close = () => {
    clearTimeout(timer);
    timer = 0;
    if (closeShown !== close) return;
    closeShown = null;
    closedAt = Date.now();
    show(null);
  };
  const showAfter = (rest: number, control: Element) => {
    clearTimeout(timer);
    const open = () => {
      if (timer !== own || closeShown === close) return;
      closeShown?.();
      closeShown = close;
      show(control);
    };
    // Where it cannot be fetched, the name of the control says the same.
    const own = window.setTimeout(() => void TipLayer.fetch().then(open, () => undefined), rest);
    timer = own;
  };
  return {
    close,
    stay: () => clearTimeout(timer),
    leave: () => {
      isOver = false;
      if (closeShown !== close) return close();
      clearTimeout(timer);
      timer = window.setTimeout(close, WAY);
    },
    move: ({ pointerType, currentTarget }: PointerEvent) => {
      if (pointerType === 'touch' || isOver) return;
      isOver = true;
      showAfter(closeShown !== null || Date.now() - closedAt < SOON ? 0 : REST, currentTarget);
    },
    press: () => {
      close();
      isPressed = true;
      window.addEventListener('pointerup', () => (isPressed = false), { once: true });
    },
    focus: ({ currentTarget }: FocusEvent) => {
      if (!isPressed) showAfter(0, currentTarget);
    },
  };
}

interface TipProps {
  readonly text: string;
  readonly children: ReactElement<DOMAttributes<Element> & AriaAttributes>;
}

/** A short explanation that appears beside a control on hover and focus. */
export function Tip({ text, children }: TipProps) {
  const [control, setControl] = useState<Element | null>(null);
  const [times] = useState(() => tipTimes(setControl));
  useEffect(() => times.close, [times]);
  const id = useId();
  const { props } = children;
  return (
    <>
      {cloneElement(children, {
        'aria-describedby': control === null ? props['aria-describedby'] : clsx(props['aria-describedby'], id),
        onPointerMove: both(props.onPointerMove, times.move),
        onPointerLeave: both(props.onPointerLeave, times.leave),
        onPointerDown: both(props.onPointerDown, times.press),
        onFocus: both(props.onFocus, times.focus),
        onBlur: both(props.onBlur, times.close),
        onClick: both(props.onClick, times.close),
      })}
      {control && (
        <TipLayer
          id={id}
          text={text}
          anchor={control}
          onPointerEnter={times.stay}
          onPointerLeave={times.leave}
          onClose={times.close}
        />
      )}
    </>
  );
}

const both =
  <Event,>(theirs: ((event: Event) => void) | undefined, ours: (event: Event) => void) =>
  (event: Event) => {
    theirs?.(event);
    ours(event);
  };

interface KbdProps {
  /** Labels of the keys. */
  readonly keys: readonly string[];
  readonly className?: string;
}

/** Keys to press together. */
export function Kbd({ keys, className }: KbdProps) {
  return (
    <kbd className={clsx('inline-flex items-center gap-0.5 font-sans', className)}>
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-rule-strong bg-paper px-1 font-sans text-2xs text-ink-2"
        >
          {key}
        </kbd>
      ))}
    </kbd>
  );
}

export interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
  readonly className: string;
  /** Classes of each choice. */
  readonly choiceClassName: string;
}

/** Radios side by side, one of them chosen. The arrows choose, and the group is one stop of the Tab key. */
export function Choices<Value extends string>({ label, value, choices, onChange, ...look }: ChoicesProps<Value>) {
  const all = Object.entries(choices) as [Value, string][];
  const onKeyDown = (event: KeyboardEvent) => {
    const at = all.findIndex(([choice]) => choice === value);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: -1 }[
      event.key
    ];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    const next = all.at(to % all.length);
    if (!next || next[0] === value) return;
    event.currentTarget.querySelectorAll('button')[all.indexOf(next)]?.focus();
    onChange(next[0]);
  };
  return (
    <div role="radiogroup" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown} className={look.className}>
      {all.map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- looks as a button does
          role="radio"
          aria-checked={choice === value}
          tabIndex={choice === value ? 0 : -1}
          onClick={() => choice !== value && onChange(choice)}
          className={look.choiceClassName}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** The look of a few choices side by side, and of each of them but for its state. */
export const switchLook = 'flex h-8 shrink-0 rounded-md bg-ink/6 p-0.5';
export const choiceLook = 'rounded-[5px] px-2.5 text-xs text-ink-2 transition-colors';

/** A few choices side by side, one of them taken. */
export function Switch<Value extends string>(props: Omit<ChoicesProps<Value>, 'className' | 'choiceClassName'>) {
  return (
    <Choices
      {...props}
      className={switchLook}
      choiceClassName={clsx(
        choiceLook,
        'aria-checked:bg-sheet aria-checked:font-medium aria-checked:text-ink aria-checked:shadow-sm',
      )}
    />
  );
}

interface DisclosureProps {
  readonly title: string;
  /** `quiet`: as part of a text. Default `plain`. */
  readonly look?: 'plain' | 'quiet';
  readonly children: ReactNode;
}

/** Content that unfolds below its title. */
export function Disclosure({ title, look = 'plain', children }: DisclosureProps) {
  const isQuiet = look === 'quiet';
  const Icon = isQuiet ? ChevronRight : ChevronDown;
  return (
    <details className={clsx('group/fold', !isQuiet && 'mt-2')}>
      <summary
        className={clsx(
          'flex w-fit cursor-pointer list-none items-center rounded-md text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden',
          isQuiet ? 'gap-1' : 'gap-1.5 text-sm font-medium',
        )}
      >
        <Icon
          aria-hidden
          className={clsx(
            'transition-transform',
            isQuiet ? 'size-3.5 group-open/fold:rotate-90' : 'size-4 group-open/fold:rotate-180',
          )}
        />
        {title}
      </summary>
      {children}
    </details>
  );
}

interface ToggleProps extends Omit<ComponentProps<'button'>, 'onChange'> {
  readonly checked: boolean;
  readonly onCheckedChange: (checked: boolean) => void;
}

/** Switches something on or off. */
export function Toggle({ checked, onCheckedChange, ...props }: ToggleProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      onClick={() => onCheckedChange(!checked)}
      {...props}
      className="group/toggle relative h-6 w-10 shrink-0 rounded-full bg-ink-3 transition-colors aria-checked:bg-accent"
    >
      <span className="block size-4.5 translate-x-[3px] rounded-full bg-sheet transition-transform group-aria-checked/toggle:translate-x-[19px]" />
    </button>
  );
}
