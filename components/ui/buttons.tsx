'use client';

import clsx from 'clsx';
import { Check, ChevronDown, ChevronRight, Copy } from 'lucide-react';
import { Switch as RadixSwitch, ToggleGroup, Tooltip } from 'radix-ui';
import { type ComponentProps, type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { toast } from 'sonner';
import { strings } from '#components/words';

const variants = {
  primary:
    'bg-accent text-accent-ink hover:bg-accent-strong disabled:bg-rule disabled:text-ink-3 aria-disabled:bg-rule aria-disabled:text-ink-3',
  outline: 'border border-rule-strong bg-sheet text-ink hover:border-ink-3 disabled:text-ink-3',
  ghost: 'text-ink-2 hover:bg-ink/6 hover:text-ink disabled:text-ink-3 disabled:hover:bg-transparent',
  danger: 'bg-red text-sheet hover:opacity-90 disabled:opacity-50',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants;
}

/** A button with a text. */
export function Button({ variant = 'outline', className, ...props }: ButtonProps) {
  return (
    <button
      type="button"
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

interface TipProps {
  readonly text: string;
  readonly children: ReactElement;
}

/** A short explanation that appears beside a control on hover and focus. */
export function Tip({ text, children }: TipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          // Gone at once: while it still appears it would take the next Escape from what has the focus by then.
          className="z-50 max-w-64 animate-rise rounded-md bg-ink px-2 py-1 text-xs text-paper data-[state=closed]:animate-none"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

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

interface SwitchProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

/** A few choices side by side, one of them taken. */
export function Switch<Value extends string>({ label, value, choices, onChange }: SwitchProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      aria-label={label}
      onValueChange={(next) => {
        if (next in choices) onChange(next as Value);
      }}
      className="flex h-8 shrink-0 rounded-md bg-ink/6 p-0.5"
    >
      {(Object.entries(choices) as [Value, string][]).map(([choice, name]) => (
        <ToggleGroup.Item
          key={choice}
          value={choice}
          className="rounded-[5px] px-2.5 text-xs text-ink-2 transition-colors data-[state=on]:bg-sheet data-[state=on]:font-medium data-[state=on]:text-ink data-[state=on]:shadow-sm"
        >
          {name}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
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

/** Switches something on or off. */
export function Toggle(props: ComponentProps<typeof RadixSwitch.Root>) {
  return (
    <RadixSwitch.Root
      {...props}
      className="relative h-6 w-10 shrink-0 rounded-full bg-ink-3 transition-colors data-[state=checked]:bg-accent"
    >
      <RadixSwitch.Thumb className="block size-4.5 translate-x-[3px] rounded-full bg-sheet transition-transform data-[state=checked]:translate-x-[19px]" />
    </RadixSwitch.Root>
  );
}
