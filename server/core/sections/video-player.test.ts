import { expect, it } from 'vitest';
import { videoAt } from '#server/core/sections/video-player';

const VIMEO = 'https://player.vimeo.com/video/76979871?autoplay=1&dnt=1';

it.each([
  [
    'https://www.youtube.com/watch?list=a&v=aqz-KE-bpKQ',
    'https://www.youtube-nocookie.com/embed/aqz-KE-bpKQ?autoplay=1&rel=0',
  ],
  ['https://vimeo.com/76979871', VIMEO],
  ['https://vimeo.com/76979871/1a2b3c4d5e', `${VIMEO}&h=1a2b3c4d5e`],
  ['https://vimeo.com/76979871/1a2b3c4d5e?share=copy', `${VIMEO}&h=1a2b3c4d5e`],
  ['https://player.vimeo.com/video/76979871?h=1a2b3c4d5e', `${VIMEO}&h=1a2b3c4d5e`],
  ['https://vimeo.com.evil.example/76979871', undefined],
  ['javascript:alert(1)', undefined],
])('plays %s at %s', (address, player) => {
  expect(videoAt(address)?.player).toBe(player);
});
