import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { type DataType, dataType, type TagValue } from '../../../src/model/schema.js';
import { InsertWorld, nowMs } from '../../support/load/insert-world.js';

function worldOf(type: DataType): InsertWorld {
  return new InsertWorld().addDatabase('plant').addSuper('s', { c: dataType('INT') }, { tag: type });
}

function tagOf(type: DataType, literal: string): TagValue {
  const world = worldOf(type);
  world.blocks(`INSERT INTO n USING s TAGS (${literal}) VALUES (1, 1)`);
  return world.created[0]?.tags.tag;
}

test('tags are kept as the text their type prints', (t) => {
  const cases: [type: DataType, literal: string, text: TagValue][] = [
    [dataType('BOOL'), 'TRUE', 'true'],
    [dataType('BOOL'), "'false'", 'false'],
    [dataType('BOOL'), '2', 'true'],
    [dataType('TINYINT'), "'0x1F'", '31'],
    [dataType('INT'), '-007', '-7'],
    [dataType('BIGINT'), '-9223372036854775808', '-9223372036854775808'],
    [dataType('BIGINT UNSIGNED'), '18446744073709551615', '18446744073709551615'],
    [dataType('FLOAT'), '10.30', '10.3'],
    [dataType('FLOAT'), '16777216', '16777216'],
    [dataType('FLOAT'), '0.1', '0.1'],
    [dataType('DOUBLE'), '1e21', '1e+21'],
    [dataType('DOUBLE'), '0.30000000000000004', '0.30000000000000004'],
    [dataType('TIMESTAMP'), "'2024-03-01T00:00:00Z'", `${nowMs}`],
    [dataType('TIMESTAMP'), 'NOW+1s', `${nowMs + 1000}`],
    [dataType('VARCHAR', 20), "'it''s é'", "it's é"],
    [dataType('VARCHAR', 20), '12.50', '12.50'],
    [dataType('VARCHAR', 20), "'NULL'", 'NULL'],
    [dataType('VARCHAR', 20), "''", ''],
    [dataType('NCHAR', 2), "'é😀'", 'é😀'],
    [dataType('VARBINARY', 20), "'\\x98F4'", '98f4'],
    [dataType('VARBINARY', 20), "'ab'", '6162'],
    [dataType('GEOMETRY', 100), "'POINT(100 100)'", '010100000000000000000059400000000000005940'],
    [dataType('JSON'), '\'{"a" : 1, "b":"x"}\'', '{"a":1,"b":"x"}'],
    [dataType('INT'), 'NULL', undefined],
    [dataType('INT'), "'null'", undefined],
    [dataType('JSON'), 'NULL', undefined],
  ];
  for (const [type, literal, text] of cases) t.is(tagOf(type, literal), text, `${type.name} ${literal}`);
});

test('tags of the wrong form are refused', (t) => {
  const cases: [type: DataType, literal: string, message: string][] = [
    [dataType('TINYINT'), '128', '(tinyint data overflow)'],
    [dataType('INT'), "'abc'", '(invalid int data)'],
    [dataType('FLOAT'), "'nan'", '(illegal float data)'],
    [dataType('BOOL'), "'abc'", '(invalid bool data)'],
    [dataType('TIMESTAMP'), "'abc'", '(invalid timestamp format)'],
    [dataType('VARBINARY', 9), "'\\xzz'", '(invalid varbinary data)'],
    [dataType('JSON'), "'[1]'", '(json parse error)'],
    [dataType('JSON'), '5', '(json parse error)'],
    [dataType('VARCHAR', 9), 'word', '(invalid data or symbol)'],
  ];
  for (const [type, literal, message] of cases) {
    const fault = worldOf(type).faultOf(`INSERT INTO n USING s TAGS (${literal}) VALUES (1, 1)`);
    t.is(fault.code, Codes.insertSyntax);
    t.true(fault.message.endsWith(message), `${fault.message} ${message}`);
  }
  t.deepEqual(worldOf(dataType('NCHAR', 2)).faultOf("INSERT INTO n USING s TAGS ('abc') VALUES (1, 1)"), {
    code: Codes.valueTooLong,
    message: 'Value too long for column/tag: tag',
  });
});
