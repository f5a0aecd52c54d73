'use client';

import { Globe, Languages } from 'lucide-react';
import { useState } from 'react';
import { access, useMe } from '#components/access/access-client';
import { spoken } from '#components/in-your-language';
import { Button, IconButton } from '#components/ui/buttons';
import { Menu } from '#components/ui/menus';
import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';
import {
  isLanguage,
  LANGUAGE_COOKIE,
  type LanguageCode,
  languageCodes,
  languageInCookie,
  languages,
} from '#server/core/languages';

const say = strings.language;

/** In the place of a language: the one that the browser asks for. */
const AUTO = 'auto';

const ONE_YEAR_S = 365 * 24 * 60 * 60;

/**
 * Choice of the language of the interface, for the account and for this browser.
 * @param isNamed its button says which one is spoken
 */
export function LanguageMenu({ isNamed = false }: { readonly isNamed?: boolean }) {
  return (
    <Menu
      align="start"
      trigger={
        isNamed ? (
          <Button>
            <Languages aria-hidden className="size-4" />
            {languages[spoken().code]}
          </Button>
        ) : (
          <IconButton label={say.label} icon={<Languages aria-hidden />} />
        )
      }
    >
      <Choices />
    </Menu>
  );
}

/** In the open menu. */
function Choices() {
  const me = useMe();
  const isUser = me?.kind === 'user';
  const [here] = useState(() => languageInCookie(document.cookie));
  const choose = (value: string) => {
    void keepChoice(isLanguage(value) ? value : null, isUser).catch(reportFailure);
  };
  return (
    <MenuChoices value={(isUser ? me.language : here) ?? AUTO} onValueChange={choose}>
      <MenuChoice value={AUTO}>
        <Globe aria-hidden />
        {say.auto}
      </MenuChoice>
      {languageCodes.map((code) => (
        <MenuChoice key={code} value={code} lang={code}>
          <Languages aria-hidden />
          {languages[code]}
        </MenuChoice>
      ))}
    </MenuChoices>
  );
}

/** Keeps a choice and loads the page anew, in that language. */
async function keepChoice(language: LanguageCode | null, isSignedIn: boolean): Promise<void> {
  if (isSignedIn) await access.changeMe({ language });
  const seconds = language === null ? 0 : ONE_YEAR_S;
  document.cookie = `${LANGUAGE_COOKIE}=${language ?? ''}; path=/; max-age=${String(seconds)}; samesite=lax`;
  window.location.reload();
}
