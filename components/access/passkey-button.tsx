'use client';

import { translator } from '#components/i18n.ts';
import { KeyRound } from 'lucide-react';
import { Button } from '#components/ui/buttons';
import { useIsMounted } from '#components/ui/hooks.ts';

const t = translator('access.login');

interface PasskeyButtonProps {
  readonly onPress: () => void;
  readonly isBusy: boolean;
}

/** Button to sign in with a passkey; renders nothing if the browser does not support passkeys. */
export function PasskeyButton({ onPress, isBusy }: PasskeyButtonProps) {
  const isMounted = useIsMounted();
  // Rendered by the server too, so that nothing moves on hydration.
  const isOffered = !isMounted || 'PublicKeyCredential' in window;
  return isOffered ? (
    <Button className="h-9" disabled={isBusy || !isMounted} onClick={onPress}>
      <KeyRound aria-hidden className="size-4" />
      {t('passkey')}
    </Button>
  ) : null;
}
