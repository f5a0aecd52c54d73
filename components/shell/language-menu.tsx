'use client';

import { Globe, Languages } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { access, useMe } from '#components/access/access-client.ts';
import { currentLanguage } from '#components/language.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { Menu } from '#components/ui/menus';
import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';
import { reportFailure } from '#components/ui/dialogs/toasts';
import {
  isLanguage,
  LANGUAGE_COOKIE,
  type LanguageCode,
  languageCodes,
  languageInCookie,
  languages,
} from '#server/core/languages';

const t = translator('shared');

/** Value for the browser's preferred language. */
const AUTO = 'auto';

/** Lifetime of the language cookie; seconds. */
const ONE_YEAR_S = 365 * 24 * 60 * 60;

/**
 * Choice of the interface language, for the account and for this browser.
 * @param isNamed true if the button shows the current language
 */
export function LanguageMenu({ isNamed = false }: { readonly isNamed?: boolean }) {
  return (
    <Menu
      align="start"
      trigger={
        isNamed ? (
          <Button>
            <Languages aria-hidden className="size-4" />
            {languages[currentLanguage().code]}
          </Button>
        ) : (
          <IconButton label={t('language.label')} icon={<Languages aria-hidden />} />
        )
      }
    >
      <Choices />
    </Menu>
  );
}

/** Content of the open menu. */
function Choices() {
  const me = useMe();
  const isUser = me?.kind === 'user';
  const [cookieLanguage] = useState(() => languageInCookie(document.cookie));
  const choose = (value: string) => {
    void storeChoice(isLanguage(value) ? value : null, isUser).catch(reportFailure);
  };
  return (
    <MenuChoices value={(isUser ? me.language : cookieLanguage) ?? AUTO} onValueChange={choose}>
      <MenuChoice value={AUTO}>
        <Globe aria-hidden />
        {t('language.auto')}
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

/** Stores a choice and reloads the page in that language. */
async function storeChoice(language: LanguageCode | null, isSignedIn: boolean): Promise<void> {
  if (isSignedIn) await access.changeMe({ language });
  const seconds = language === null ? 0 : ONE_YEAR_S;
  document.cookie = `${LANGUAGE_COOKIE}=${language ?? ''}; path=/; max-age=${String(seconds)}; samesite=lax`;
  window.location.reload();
}
