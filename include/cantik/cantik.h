// All of Cantik.
#pragma once

#include <cantik/attribute.h>
#include <cantik/axis.h>
#include <cantik/decode.h>
#include <cantik/device.h>
#include <cantik/dictionary.h>
#include <cantik/dtype.h>
#include <cantik/error.h>
#include <cantik/evaluator.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/layers.h>
#include <cantik/learner.h>
#include <cantik/losses.h>
#include <cantik/memory.h>
#include <cantik/ops.h>
#include <cantik/progress.h>
#include <cantik/recurrence.h>
#include <cantik/schedule.h>
#include <cantik/shape.h>
#include <cantik/tensor.h>
#include <cantik/train.h>
#include <cantik/trainer.h>
#include <cantik/type.h>
#include <cantik/value.h>
#include <cantik/variable.h>
