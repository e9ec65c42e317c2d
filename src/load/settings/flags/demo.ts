import { dataType } from '../../../model/schema.js';
import type { FieldPlan, ValuePlan } from '../../model/scenario.js';

/** Width of the location tag; no city takes more. */
const locationBytes = 16;

const places = [
  'SanFrancisco',
  'LosAngles',
  'SanDiego',
  'SanJose',
  'PaloAlto',
  'Campbell',
  'MountainView',
  'Sunnyvale',
  'SantaClara',
  'Cupertino',
];

const chinesePlaces = [
  '旧金山',
  '洛杉矶',
  '圣迭戈',
  '圣何塞',
  '帕洛阿图',
  '坎贝尔',
  '山景城',
  '森尼韦尔',
  '圣克拉拉',
  '库比蒂诺',
];

/** Fields of an electricity meter: current in ampere, voltage, phase as a share of the circle. */
export function demoColumns(): readonly FieldPlan[] {
  return [
    { name: 'current', type: dataType('FLOAT'), values: steps(9.8, 0.04), sma: false },
    { name: 'voltage', type: dataType('INT'), values: steps(105, 1), sma: false },
    { name: 'phase', type: dataType('FLOAT'), values: steps(105 / 360, 1 / 360), sma: false },
  ];
}

/** The tags of an electricity meter: its group, 1 to 10, and its place. */
export function demoTags(chinese: boolean): readonly FieldPlan[] {
  return [
    { name: 'groupid', type: dataType('INT'), values: { kind: 'range', min: 1, max: 11 }, sma: false },
    {
      name: 'location',
      type: dataType('VARCHAR', locationBytes),
      values: { kind: 'choice', values: chinese ? chinesePlaces : places },
      sma: false,
    },
  ];
}

function steps(first: number, step: number): ValuePlan {
  return { kind: 'steps', first, step, count: 10 };
}
