import test from 'ava';
import { acceptsGzip, bodyLayers, gzipLayers, unsupportedEncoding } from '../../../src/http/request/compression.js';

test('gzip layers are counted and other codings left alone', (t) => {
  for (const coding of [undefined, '', 'snappy', 'br', 'deflate']) t.is(gzipLayers(coding), 0);
  t.is(gzipLayers('gzip'), 1);
  t.is(gzipLayers('X-GZIP'), 1);
  t.is(gzipLayers('gzip, identity ,GZip'), 2);
  for (const coding of ['gzip, br', 'br,gzip', 'gzip,gzip,gzip,gzip,gzip'])
    t.is(gzipLayers(coding), unsupportedEncoding);
});

test('of bodies without a compression of their own, gzip and deflate are layers and other compressions are refused', (t) => {
  for (const coding of [undefined, '', 'identity', 'utf-8']) t.is(bodyLayers(coding), 0);
  t.is(bodyLayers('Deflate'), 1);
  t.is(bodyLayers('gzip, deflate'), 2);
  t.is(bodyLayers('gzip, utf-8'), 1);
  for (const coding of ['zstd', 'BR', 'compress', 'gzip, snappy', 'deflate,'.repeat(5)])
    t.is(bodyLayers(coding), unsupportedEncoding, coding);
});

test('gzip is taken when named or covered by a star, and not at weight 0', (t) => {
  for (const header of ['gzip', 'br, GZIP', 'gzip;q=0.1', '*', 'deflate, *;q=0.5', 'x-gzip']) {
    t.true(acceptsGzip(header), header);
  }
  for (const header of [undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000', '*;q=0', 'gzip;q=0, *', 'identity']) {
    t.false(acceptsGzip(header), header);
  }
});
