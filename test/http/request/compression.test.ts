import test from 'ava';
import { acceptsGzip, bodyLayers, gzipLayers, snappyLayers } from '../../../src/http/request/compression.js';

test('gzip layers are counted and other codings left alone', (t) => {
  for (const coding of [undefined, '', 'snappy', 'br', 'deflate']) t.is(gzipLayers(coding), 0);
  t.is(gzipLayers('gzip'), 1);
  t.is(gzipLayers('X-GZIP'), 1);
  t.is(gzipLayers('gzip, identity ,GZip'), 2);
  for (const coding of ['gzip, br', 'br,gzip', 'gzip,gzip,gzip,gzip,gzip'])
    t.like(gzipLayers(coding), { kind: 'parameter' });
});

test('of bodies without a compression of their own, gzip and deflate are layers and other compressions are refused', (t) => {
  for (const coding of [undefined, '', 'identity', 'utf-8']) t.is(bodyLayers(coding), 0);
  t.is(bodyLayers('Deflate'), 1);
  t.is(bodyLayers('gzip, deflate'), 2);
  t.is(bodyLayers('gzip, utf-8'), 1);
  for (const coding of ['zstd', 'BR', 'compress', 'gzip, snappy', 'deflate,'.repeat(5)])
    t.like(bodyLayers(coding), { kind: 'parameter' }, coding);
});

test('of bodies in snappy the header may say so or nothing, and other compressions are refused by name', (t) => {
  for (const coding of [undefined, '', 'Snappy', 'utf-8']) t.is(snappyLayers(coding), 0);
  t.is(snappyLayers('gzip'), 1);
  t.is(snappyLayers('deflate'), 1);
  const message =
    'unsupported Content-Encoding "zstd": a body is in snappy and may be wrapped in gzip or deflate, up to 4 times';
  t.like(snappyLayers('zstd'), { message });
  for (const coding of ['br', 'snappy, gzip', 'lz4']) t.like(snappyLayers(coding), { kind: 'parameter' }, coding);
});

test('gzip is taken when named or covered by a star, and not at weight 0', (t) => {
  for (const header of ['gzip', 'br, GZIP', 'gzip;q=0.1', '*', 'deflate, *;q=0.5', 'x-gzip']) {
    t.true(acceptsGzip(header), header);
  }
  for (const header of [undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000', '*;q=0', 'gzip;q=0, *', 'identity']) {
    t.false(acceptsGzip(header), header);
  }
});
