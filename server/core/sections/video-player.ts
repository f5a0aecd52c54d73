/* Players of video services, which a page embeds once a visitor asks for it. */

/** A video with the addresses at which it can be watched. */
export interface Video {
  /** Name of the service: `YouTube`. */
  readonly service: string;
  /** Address of the player for a frame. It starts at once. */
  readonly player: string;
  /** Address of the video's own page. */
  readonly page: string;
}

/** Origins of all players, as a Content-Security-Policy names them. */
export const playerOrigins = ['https://www.youtube-nocookie.com', 'https://player.vimeo.com'] as const;

/** Addresses of a video at a service: on its page, in a share link, in its player. Each captures the id. */
const YOUTUBE =
  /^https:\/\/(?:(?:www\.|m\.)?youtube\.com\/(?:watch\?(?:[^#]*&)?v=|shorts\/|live\/|embed\/)|youtu\.be\/|www\.youtube-nocookie\.com\/embed\/)([\w-]{11})(?![\w-])/;
/** The second capture is the secret of a video that is not listed: a segment of its page, `h` of its player. */
const VIMEO =
  /^https:\/\/(?:(?:www\.)?vimeo\.com\/|player\.vimeo\.com\/video\/)(\d{1,12})(?![\da-z])(?:\/([\da-f]{6,20})(?![\w-])|[^#]*[?&]h=([\da-f]{6,20})(?![\w-]))?/;

/** The video at an address; null if no known service has such an address. */
export function videoAt(address: string): Video | null {
  const [youtube] = YOUTUBE.exec(address)?.slice(1) ?? [];
  if (youtube !== undefined) {
    const player = `${playerOrigins[0]}/embed/${youtube}?autoplay=1&rel=0`;
    return { service: 'YouTube', player, page: `https://www.youtube.com/watch?v=${youtube}` };
  }
  const [vimeo, ofPage, ofPlayer] = VIMEO.exec(address)?.slice(1) ?? [];
  if (vimeo === undefined) return null;
  const secret = ofPage ?? ofPlayer;
  return {
    service: 'Vimeo',
    player: `${playerOrigins[1]}/video/${vimeo}?autoplay=1&dnt=1${secret === undefined ? '' : `&h=${secret}`}`,
    page: `https://vimeo.com/${vimeo}${secret === undefined ? '' : `/${secret}`}`,
  };
}
