"""Names that CNTK's binding gives its classes, beside those of its Python files."""

import numpy as np
import pytest

import cntk as C

DEV = C.cpu()


def _plain(value):
    return value.asarray().tolist() if not value.is_sparse else value.asarray()


@pytest.mark.parametrize('kind, dtype', [('float', np.float32), ('double', np.float64)])
class TestValues:
    def _made(self, name, kind, *args):
        return getattr(C.Value, f'create_{name}_{kind}')(*args)

    def test_dense_sequences_are_padded(self, kind, dtype):
        value = self._made('dense', kind, (2,), [[1, 2, 3, 4], [5, 6]], DEV)
        assert value.asarray().tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]] and value.dtype == dtype
        assert value.mask.tolist() == [[2, 1], [2, 0]]

    @pytest.mark.parametrize('options', [([True, False], DEV, False), ([True, False], DEV), ([True, False],)])
    def test_flags_say_which_sequences_begin(self, kind, dtype, options):
        assert self._made('dense', kind, (2,), [[1, 2, 3, 4], [5, 6]], *options).mask.tolist() == [
            [2, 1],
            [1, 0],
        ]

    def test_read_only(self, kind, dtype):
        assert self._made('dense', kind, (2,), [[1, 2]], [], DEV, True).is_read_only
        assert self._made('one_hot', kind, 3, [[1, 2]], DEV, True).is_read_only
        assert not self._made('one_hot', kind, 3, [[1, 2]], DEV, False).is_read_only

    def test_one_hot(self, kind, dtype):
        for dimension in (4, (4,)):
            value = self._made('one_hot', kind, dimension, [[1, 3], [0]], DEV)
            assert value.is_sparse and value.dtype == dtype and value.shape == (2, 2, 4)
            x = C.sequence.input_variable(4, dtype, is_sparse=True)
            assert [a.toarray().argmax(1).tolist() for a in value.as_sequences(x)] == [[1, 3], [0]]

    def test_one_hot_flags(self, kind, dtype):
        assert self._made('one_hot', kind, 4, [[1, 3], [0]], [False, True], DEV).mask.tolist() == [
            [1, 1],
            [2, 0],
        ]

    def test_batches(self, kind, dtype):
        value = self._made('batch', kind, (2, 3), list(range(12)), DEV)
        assert value.asarray().tolist() == np.arange(12).reshape(2, 1, 2, 3).tolist() and value.dtype == dtype
        rows = self._made('batch', kind, 3, [0, 2, 1], DEV)
        assert rows.is_sparse and rows.shape == (3, 1, 3)

    @pytest.mark.parametrize('options', [(DEV,), (True, DEV), (False, DEV, False)])
    def test_one_sequence(self, kind, dtype, options):
        begins = 1 if options[0] is False else 2
        for value in (
            self._made('sequence', kind, (2,), [1, 2, 3, 4, 5, 6], *options),
            self._made('sequence', kind, 3, [0, 2, 1], *options),
        ):
            assert value.shape[:2] == (1, 3) and value.dtype == dtype
            assert begins == 2 or value.mask.tolist() == [[1, 1, 1]]

    def test_a_network_takes_them(self, kind, dtype):
        x = C.sequence.input_variable(4, dtype, is_sparse=True)
        table = C.constant(np.arange(8).reshape(4, 2), dtype=dtype)
        found = C.times(x, table).eval({x: self._made('one_hot', kind, 4, [[1, 3], [0]], DEV)})
        assert [a.tolist() for a in found] == [[[2, 3], [6, 7]], [[0, 1]]]

    def test_back_to_lists(self, kind, dtype):
        x, found = C.sequence.input_variable(2, dtype), ['old']
        value = self._made('dense', kind, (2,), [[1, 2, 3, 4], [5, 6]], DEV)
        assert getattr(value, 'copy_variable_value_to_' + kind)(x, found) is None
        assert found == [[1, 2, 3, 4], [5, 6]]
        x = C.sequence.input_variable(4, dtype, is_sparse=True)
        self._made('one_hot', kind, 4, [[1, 3], [0]], DEV).copy_variable_value_to(x, found)
        assert found == [[1, 3], [0]]

    def test_what_does_not_fit(self, kind, dtype):
        for shape, numbers in (((2,), [[1, 2, 3]]), ((2, 3), [list(range(5))]), ((2,), [[1, 2], [1]])):
            with pytest.raises(ValueError, match='multiple of'):
                self._made('dense', kind, shape, numbers, DEV)
        with pytest.raises(ValueError, match=r'index value \(5\) exceeds vocabulary size \(4\)'):
            self._made('one_hot', kind, 4, [[1, 5]], DEV)
        with pytest.raises(ValueError, match='one flag for each'):
            self._made('dense', kind, (2,), [[1, 2], [3, 4]], [True], DEV)
        with pytest.raises(TypeError):
            self._made('dense', kind, (2,), [[1, 2]], DEV, False, 7)
        x = C.sequence.input_variable(2, dtype)
        value = self._made('dense', kind, (2,), [[1, 2]], DEV)
        with pytest.raises(ValueError, match='one-hot'):
            value.copy_variable_value_to(x, [])
        other = {'float': 'double', 'double': 'float'}[kind]
        with pytest.raises(RuntimeError, match='float'):
            getattr(value, 'copy_variable_value_to_' + other)(x, [])


class TestFunctions:
    def setup_method(self):
        self.x, self.w = C.input_variable(2), C.parameter((2, 1), init=1)
        self.z = C.times(self.x, self.w)
        self.data = {self.x: C.Value(np.ones((1, 2), np.float32))}

    def test_evaluate_fills_a_dictionary(self):
        for device in ((), (DEV,)):
            values = {self.z.output: None}
            assert self.z.evaluate(self.data, values, *device) is None
            assert values[self.z.output].asarray().tolist() == [[2]]

    def test_what_was_evaluated_stays(self):
        values, others = {self.z.output: None}, {self.z.output: None}
        self.z.evaluate(self.data, values)
        self.z.evaluate({self.x: np.full((1, 2), 7, np.float32)}, others)
        assert values[self.z.output].asarray().tolist() == [[2]]
        assert others[self.z.output].asarray().tolist() == [[14]]

    def test_gradients_fill_dictionaries(self):
        x = C.input_variable(2, needs_gradient=True)
        z = C.times(x, self.w)
        found, values = {self.w: None, x: None}, {z.output: None}
        assert z.gradients({x: np.full((1, 2), 3, np.float32)}, found, values, DEV) is None
        assert found[self.w].asarray().tolist() == [[3], [3]] and found[x].asarray().tolist() == [[1, 1]]
        assert values[z.output].asarray().tolist() == [[6]]

    def test_bytes_of_a_file(self, tmp_path):
        self.z.save(str(tmp_path / 'm'))
        loaded = C.Function.load_from_buffer((tmp_path / 'm').read_bytes(), DEV)
        assert loaded(np.ones((1, 2), np.float32)).tolist() == [[2]]
        for wrong, error in ((b'', Exception), (b'no model', Exception), (str(tmp_path / 'm'), TypeError)):
            with pytest.raises(error):
                C.Function.load_from_buffer(wrong)

    def test_operators_of_libraries(self):
        with pytest.raises(RuntimeError, match='mod.so'):
            C.Function.register_native_user_function('an op', 'mod', 'make')
        with pytest.raises(ValueError, match="the factory of 'an op' has no name"):
            C.Function.register_native_user_function('an op', '', '')
        with pytest.raises(ValueError, match='has not been registered'):
            C.Function.native_user_function('no op', [self.x], {}, 'name')

    def test_small_ones(self):
        assert C.Function.max_num_outputs == self.z.max_num_outputs == 64
        assert self.z.set_native(True) is None

    @pytest.mark.parametrize('name', ['module_name', 'deserialize_method_name'])
    def test_protected_ones_raise_as_in_cntk(self, name):
        with pytest.raises(RuntimeError, match='accessing protected member'):
            getattr(self.z, name)()
        with pytest.raises(RuntimeError, match='accessing protected member RestoreFromCheckpoint'):
            self.z.restore_from_checkpoint({})


class Doubled(C.learners.UserLearner):
    def update(self, gradient_values, training_sample_count, sweep_end):
        for p, g in gradient_values.items():
            p.value = p.value - 2 * np.asarray(g) / training_sample_count
        return True


class TestLearners:
    def test_parameters_of_a_users_learner_are_a_property_and_a_method(self):
        w = C.parameter(2, init=1)
        learner = Doubled([w], C.learning_parameter_schedule(1.0))
        assert list(learner.parameters()) == list(learner.parameters) == [w]
        assert len(learner.parameters()) == 1 and learner.parameters()[0] is not None

    def test_of_others_a_property(self):
        w = C.parameter(2, init=1)
        learner = C.sgd([w], C.learning_parameter_schedule(1.0))
        assert learner.parameters == (w,)
        with pytest.raises(TypeError, match='not callable'):
            learner.parameters()

    def test_of_a_users_learner_that_writes_through_them(self):
        x, y, w = C.input_variable(2), C.input_variable(1), C.parameter((2, 1), init=1)

        class Mine(C.learners.UserLearner):
            def update(self, gradient_values, training_sample_count, sweep_end):
                for p in self.parameters():
                    p.value = p.value - 0.1 * np.asarray(gradient_values[p]) / training_sample_count
                return True

        z = C.times(x, w)
        loss = C.squared_error(z, y)
        trainer = C.Trainer(z, loss, Mine(z.parameters, C.learning_parameter_schedule(1.0)))
        trainer.train_minibatch({x: np.ones((4, 2), np.float32), y: np.zeros((4, 1), np.float32)})
        np.testing.assert_allclose(w.value, np.full((2, 1), 1 - 0.1 * 4), rtol=1e-6)

    def test_version(self):
        learner = C.sgd([C.parameter(2)], 0.1)
        assert learner.current_version() == learner.create_checkpoint()['version'] == 3
        assert learner.set_need_to_update_master_parameter() is None


class TestData:
    def setup_method(self):
        self.x, self.y = C.input_variable(2), C.input_variable(1)
        self.z = C.layers.Dense(1, init=0.25)(self.x)
        self.loss = C.squared_error(self.z, self.y)

    def _minibatch(self):
        return {
            self.x: C.io.MinibatchData(C.Value(np.ones((2, 2), np.float32)), 2, 2, False),
            self.y: C.io.MinibatchData(C.Value(np.ones((2, 1), np.float32)), 2, 2, False),
        }

    def test_trainers_and_evaluators(self):
        trainer = C.Trainer(self.z, (self.loss, self.loss), C.sgd(self.z.parameters, 0.1))
        expected = C.Evaluator(self.loss).test_minibatch(self._minibatch())
        assert (
            C.Evaluator(self.loss).test_minibatch_overload_for_minibatchdata(self._minibatch(), DEV)
            == expected
        )
        assert trainer.test_minibatch_overload_for_minibatchdata(self._minibatch(), DEV) == expected
        assert trainer.train_minibatch_overload_for_minibatchdata(self._minibatch(), DEV) is True
        assert trainer.test_minibatch(self._minibatch()) != expected
        outputs = {self.z.output: None}
        assert trainer.train_minibatch_overload_for_minibatchdata(self._minibatch(), outputs, DEV) is True
        assert outputs[self.z.output].shape[0] == 2

    @pytest.mark.parametrize(
        'request_, samples',
        [
            ((2,), 2),
            ((2, DEV), 2),
            ((0, 2, DEV), 2),
            ((0, 2, 1, 0, DEV), 2),
            ((1, 0, DEV), 1),
            ((1, 9, 1, 0, DEV), 1),
            ((0, 4, 2, 1, DEV), 1),
        ],
    )
    def test_minibatches_of_files(self, request_, samples, tmp_path):
        path = tmp_path / 'd.ctf'
        path.write_text('|x 1 2\n|x 3 4\n|x 5 6\n')
        streams = C.io.StreamDefs(x=C.io.StreamDef('x', 2))
        source = C.io.MinibatchSource(C.io.CTFDeserializer(str(path), streams), randomize=False, max_sweeps=1)
        found = source.get_next_minibatch(*request_)
        assert found[source.streams.x].number_of_samples == samples

    def test_minibatches_of_a_program(self):
        source = C.io.MinibatchSourceFromData(dict(x=np.arange(8, dtype=np.float32).reshape(4, 2)))
        for request in ((2,), (2, DEV), (0, 2, DEV)):
            assert source.get_next_minibatch(*request)[source.streams.x].number_of_samples == 2
        with pytest.raises(NotImplementedError):
            source.get_next_minibatch(1, 2, DEV)
        with pytest.raises(TypeError):
            source.get_next_minibatch(1, 2, 3, 4)

    def test_fields_of_streams(self):
        stream = C.io.StreamConfiguration('x', 3)
        assert (stream.m_stream_name, stream.m_dim, stream.m_is_sparse) == ('x', 3, False)
        assert (stream.m_stream_alias, stream.m_defines_mb_size) == ('', False)
        stream = C.io.StreamConfiguration('x', 3, True, 'y', True)
        assert (stream.m_is_sparse, stream.m_stream_alias, stream.m_defines_mb_size) == (True, 'y', True)
        info = C.io.StreamInformation('x', 2, 'sparse', np.float64, (2, 3), True)
        assert (info.m_name, info.m_id, info.m_is_binary, info.m_storage_format) == ('x', 2, False, 1)
        assert (info.m_element_type, tuple(info.m_sample_layout), info.m_defines_mb_size) == (2, (2, 3), True)
        data = C.io.MinibatchData(C.Value(np.ones((2, 2), np.float32)), 2, 2, True)
        assert (data.number_of_samples, data.number_of_sequences, data.sweep_end) == (2, 2, True)
        for holder in (C.io.StreamConfiguration, C.io.StreamInformation, C.io.MinibatchData):
            assert any(name.startswith(('m_', 'number_of')) for name in dir(holder))

    def test_a_stream_without_an_alias_goes_by_its_name(self, tmp_path):
        path = tmp_path / 'd.ctf'
        path.write_text('|x 1 2 |why 3\n')
        for alias, named in (('', 'why'), ('why', 'other')):
            streams = [
                C.io.StreamConfiguration('x', 2),
                C.io.StreamConfiguration(named, 1, stream_alias=alias),
            ]
            source = C.io.MinibatchSource(C.io.CTFDeserializer(str(path), streams), max_sweeps=1)
            batch = source.next_minibatch(1)
            assert batch[source.stream_info(named)].asarray().tolist() == [[[3]]]

    def test_chunks(self):
        class Mine(C.io.UserDeserializer):
            def stream_infos(self):
                return [C.io.StreamInformation('x', 0, 'dense', np.float32, (6,))]

            def num_chunks(self):
                return 2

            def get_chunk(self, chunk_id):
                return {'x': np.ones((3, 6), np.float32)}

        chunks, sequences = Mine(), []
        assert [(c.m_id, c.m_number_of_sequences, c.m_number_of_samples) for c in chunks.chunk_infos()] == [
            (0, 0, 0),
            (1, 0, 0),
        ]
        chunks.sequence_infos_for_chunk(1, sequences)
        assert [(s.m_index_in_chunk, s.m_number_of_samples, s.m_chunk_id) for s in sequences] == [
            (0, 1, 1),
            (1, 1, 1),
            (2, 1, 1),
        ]
        assert chunks.get_sequence_info(sequences[0], None) is False

    def test_the_minibatch_size_of_a_session(self):
        source = C.io.MinibatchSourceFromData(
            dict(x=np.ones((4, 2), np.float32), y=np.ones((4, 1), np.float32)), max_samples=8
        )
        trainer = C.Trainer(self.z, self.loss, C.sgd(self.z.parameters, 0.1))
        session = C.training_session(
            trainer,
            source,
            C.minibatch_size_schedule([2, 4], 2),
            {self.x: source.streams.x, self.y: source.streams.y},
        )
        assert session.get_minibatch_size() == 2 and session.cv_callback is None
        session.train()
        assert session.get_minibatch_size() == 4


class TestOperators:
    """Operators that programs take from the binding are those of the package."""

    @pytest.mark.parametrize(
        'name, public', [('re_lu', 'relu'), ('tanh', 'tanh'), ('square', 'square'), ('softmax', 'softmax')]
    )
    def test_of_one_operand(self, name, public):
        x = C.input_variable((2, 3), name='x')
        data = np.arange(-3, 3, dtype=np.float32).reshape(1, 2, 3)
        native, usual = getattr(C.cntk_py, name)(x, 'named'), getattr(C, public)(x, name='named')
        assert str(native) == str(usual) and native.name == 'named'
        assert np.array_equal(native.eval({x: data}), usual.eval({x: data}))

    @pytest.mark.parametrize('name', ['squared_error', 'cross_entropy_with_softmax', 'classification_error'])
    def test_losses(self, name):
        x, y = C.input_variable(3), C.input_variable(3)
        data = {x: np.float32([[1, 2, 3]]), y: np.float32([[1, 0, 0]])}
        assert getattr(C.cntk_py, name)(x, y).eval(data) == getattr(C, name)(x, y).eval(data)

    def test_the_names_are_listed(self):
        assert {'squared_error', 'NDMask', 'Evaluator', 'MinibatchSource'} <= set(dir(C.cntk_py))

    def test_axes_in_the_order_of_the_binding_are_refused(self):
        with pytest.raises(TypeError, match='the name of the function must be a text, not Axis'):
            C.cntk_py.softmax(C.input_variable((2, 3)), C.Axis(0))


class TestMasks:
    """The figures are those of CNTK 2.7, whose offsets have the last axis first."""

    def test_sections(self):
        mask = C.cntk_py.NDMask((2, 3), C.cpu())
        assert mask.masked_count() == 0 and mask.shape() == (2, 3) and mask.device() == C.cpu()
        mask.invalidate_section([0, 1], (1, 2))
        assert mask.masked_count() == 2 and mask.to_ndarray().tolist() == [[1, 1, 1], [0, 0, 1]]
        mask.mark_sequence_begin([1, 0])
        mask.mark_sequence_begin([0, 0], (2, 1))
        assert mask.asarray().tolist() == [[2, 2, 1], [2, 0, 1]]

    def test_copies_and_the_same_memory(self):
        mask = C.cntk_py.NDMask((1, 2))
        copy, other = mask.deep_clone(), mask.alias()
        mask.invalidate_section([1, 0], (1, 1))
        assert copy.masked_count() == 0 and other.masked_count() == 1
        copy.copy_from(mask)
        mask.clear()
        assert copy.masked_count() == 1 and other.masked_count() == 0

    @pytest.mark.parametrize('offset, shape', [([0], (1,)), ([2, 0], (1, 2)), ([-1, 0], (1, 1))])
    def test_sections_that_are_not_there(self, offset, shape):
        with pytest.raises(ValueError, match=r'axes of the mask|outside of the mask'):
            C.cntk_py.NDMask((2, 3)).invalidate_section(offset, shape)

    def test_masks_of_another_shape(self):
        with pytest.raises(ValueError, match=r'a mask of shape \(1, 2\) cannot be copied to one of \(2, 1\)'):
            C.cntk_py.NDMask((2, 1)).copy_from(C.cntk_py.NDMask((1, 2)))


class TestOtherFunctions:
    """Functions of the binding are the package's under another name, or raise by name."""

    def test_those_of_the_package(self):
        p, x = C.cntk_py, C.input_variable(2)
        assert p.ctf_deserializer is C.io.CTFDeserializer and p.create_evaluator is C.Evaluator
        assert p.reader_crop('center', (2, 3)) == C.io.transforms.crop('center', (2, 3))
        assert p.sequence_reduce_sum is C.sequence.reduce_sum and p.uniform_random is C.random.uniform
        assert p.save_as_legacy_model is C.debugging.save_as_legacy_model
        assert p.straight_through is C.ops.straight_through_impl
        mean = p.mean([x, x + 1], 'm')
        assert mean.name == 'm' and mean.eval({x: np.float32([[1, 3]])}).tolist() == [[1.5, 3.5]]
        assert p.sum([x, x], 's').eval({x: np.float32([[1, 3]])}).tolist() == [[2, 6]]
        assert p.momentum_as_time_constant_schedule(100)[0] == C.momentum_as_time_constant_schedule(100)[0]

    def test_static_methods(self):
        p = C.cntk_py
        assert p.Axis_default_batch_axis() == C.Axis.default_batch_axis()
        assert p.DeviceDescriptor_cpu_device() == C.cpu() and p.NDShape_unknown().is_unknown()
        for name in ('Axis_no_such_axis', 'nothing', 'Nothing_load'):
            with pytest.raises(AttributeError, match=name):
                getattr(p, name)

    @pytest.mark.parametrize(
        'name, remedy',
        [
            ('reduce_elements', 'use cantik.reduce_sum'),
            ('placeholder_variable', 'use cantik.placeholder'),
            ('create_trainer', 'use cantik.Trainer'),
            ('past_value', 'use cantik.sequence.past_value'),
            ('generate_uid', ''),
        ],
    )
    def test_others_raise_by_name(self, name, remedy):
        with pytest.raises(NotImplementedError, match=rf'cntk_py\.{name} is not supported(.|\n)*{remedy}$'):
            getattr(C.cntk_py, name)(1, 2)

    def test_remedies_are_there(self):
        from cantik.internal.binding_absent import INSTEAD

        for remedy in filter(None, INSTEAD.values()):
            found = C
            for part in remedy.split('.'):
                found = getattr(found, part)
            assert callable(found)
