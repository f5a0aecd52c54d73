import { z } from 'zod';
import { components } from '#server/core/shapes';
import { designShape } from '#server/core/site/design/design';
import { route } from '#server/http/route';
import { assetParams } from '#server/http/schemas/media';

const picturePaletteSchema = z.object({ palette: designShape.palette }).register(components, { id: 'PicturePalette' });

export const GET = route(
  {
    summary: 'A palette for the design with the colours of a picture',
    answer: picturePaletteSchema,
    access: 'content:read',
    params: assetParams,
  },
  async ({ params, services: { pictureColors } }) => ({ palette: await pictureColors(params.id) }),
);
