/**
 * Addresses of the site's icon with their side length in pixels. Sites without a stored design link the first one only;
 * browsers ask for the second one without a link.
 */
export const siteIcons: Readonly<Record<string, number>> = {
  '/favicon.png': 192,
  '/favicon.ico': 192,
  '/favicon-32.png': 32,
  '/favicon-180.png': 180,
  '/favicon-512.png': 512,
};
